import { newId } from '../basics.ts'
import { Failure, invalid } from '../failure.ts'
import type { Price } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
import type { Work } from '../work.ts'

/** VAT in percent, for the five countries the sandbox collects it in. */
const rates: Record<string, number> = { AT: 20, CH: 8.1, DE: 19, FR: 20, IT: 22 }
const inTheUnion = new Set(['AT', 'DE', 'FR', 'IT'])

/** A company in the Union pays the tax itself; elsewhere than in the five countries, none is collected. */
export async function taxFor(work: Work, customer: Customer, taxIds: TaxId[]): Promise<Tax> {
  const country = customer.address?.country ?? ''
  const percentage = rates[country] ?? 0
  const isCompany = taxIds.some(({ type }) => type === 'eu_vat')
  const reason =
    percentage === 0
      ? ('not_collecting' as const)
      : isCompany && inTheUnion.has(country)
        ? ('reverse_charge' as const)
        : ('standard_rated' as const)
  return { rate: await rateOf(work, country, reason === 'standard_rated' ? percentage : 0), reason }
}

async function rateOf(work: Work, country: string, percentage: number) {
  const [known] = await work.all('tax_rate', { country, percentage })
  return known ?? work.insert(newTaxRate(work.now, country, percentage))
}

export async function taxIdsOf(work: Work, customer: string): Promise<TaxId[]> {
  const all = await work.all('tax_id', { customer })
  return all.flatMap((each) => ('deleted' in each ? [] : [each]))
}

/** Like Stripe, refuses to compute tax for a customer who is nowhere, or for a price that does not say how. */
export function assertTaxable(customer: Customer, lines: { price: Price }[]) {
  if (!customer.address?.country)
    throw new Failure(400, {
      type: 'invalid_request_error',
      code: 'customer_tax_location_invalid',
      message: "The customer's location isn't recognized. Set a valid customer address.",
      param: 'automatic_tax[enabled]',
    })
  if (lines.some(({ price }) => price.tax_behavior === 'unspecified'))
    throw invalid('The price has no tax_behavior.', 'items[0][price]')
}

export const newTaxRate = (now: number, country: string, percentage: number) => ({
  id: newId('txr'),
  object: 'tax_rate' as const,
  active: true,
  country,
  created: now,
  description: null,
  display_name: 'VAT',
  effective_percentage: percentage,
  flat_amount: null,
  inclusive: true,
  jurisdiction: country,
  jurisdiction_level: 'country' as const,
  livemode: false,
  metadata: {} as Record<string, string>,
  percentage,
  rate_type: 'percentage' as const,
  state: null,
  tax_type: 'vat' as const,
})

export type TaxRate = ReturnType<typeof newTaxRate>

export type TaxIdType = 'eu_vat' | 'ch_vat' | 'gb_vat'

export const newTaxId = (now: number, customer: string, type: TaxIdType, value: string) => ({
  id: newId('txi'),
  object: 'tax_id' as const,
  country: value.slice(0, 2),
  created: now,
  customer,
  customer_account: null,
  livemode: false,
  owner: { customer, customer_account: null, type: 'customer' as const },
  type,
  value,
  verification: { status: 'pending' as const, verified_address: null, verified_name: null },
})

export type TaxId = ReturnType<typeof newTaxId>

export const deletedTaxId = (id: string) => ({ id, object: 'tax_id' as const, deleted: true as const })

export type DeletedTaxId = ReturnType<typeof deletedTaxId>

/** The tax on everything a customer buys. */
export type Tax = { rate: TaxRate; reason: 'standard_rated' | 'reverse_charge' | 'not_collecting' }

/** The tax inside a price, to the cent. Percentages have at most two decimals, so whole numbers are enough. */
export function taxInside(amount: number, percentage: number): number {
  const hundredths = Math.round(percentage * 100)
  return Math.round((amount * hundredths) / (10_000 + hundredths))
}

export function taxesOn(total: number, tax: Tax | null) {
  if (!tax) return []
  const amount = tax.reason === 'standard_rated' ? taxInside(total, tax.rate.percentage) : 0
  return [
    {
      amount,
      tax_behavior: 'inclusive' as const,
      tax_rate_details: { tax_rate: tax.rate.id },
      taxability_reason: tax.reason,
      taxable_amount: total - amount,
      type: 'tax_rate_details' as const,
    },
  ]
}
