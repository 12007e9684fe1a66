import { Failure, invalid } from '../failure.ts'
import type { Price } from '../objects/catalog.ts'
import type { Customer, TaxId } from '../objects/customer.ts'
import { newTaxRate, type Tax } from '../objects/tax.ts'
import type { Work } from '../work.ts'

/** Tax rates in percent for the six countries where the sandbox collects tax (VAT, or GST in Australia). */
const rates: Record<string, number> = { AT: 20, AU: 10, CH: 8.1, DE: 19, FR: 20, IT: 22 }
const inTheUnion = new Set(['AT', 'DE', 'FR', 'IT'])

/** A company in the European Union pays the tax itself (reverse charge); outside the six countries none is collected. */
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

/** Like Stripe, refuses to compute tax without an address of the customer or a `tax_behavior` of the price. */
export function assertTaxable({ address }: Customer, price: Price) {
  if (!address?.country) throw locationInvalid('automatic_tax[enabled]')
  if (price.tax_behavior === 'unspecified') throw invalid('The price has no tax_behavior.', 'items[0][price]')
}

const postalCodes: Record<string, RegExp> = { US: /^(?!00000)\d{5}(-\d{4})?$/, CA: /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/i }

/** Throws like Stripe if the country is missing or the postal code is invalid (US and Canada only). */
export function assertPlace(address: Customer['address']) {
  const { country, postal_code: postalCode } = address ?? {}
  if (!country || postalCodes[country]?.test(postalCode ?? '') === false) throw locationInvalid('address')
}

const locationInvalid = (param: string) =>
  new Failure(400, {
    type: 'invalid_request_error',
    code: 'customer_tax_location_invalid',
    message: "The customer's location isn't recognized. Set a valid customer address.",
    param,
  })
