import { Failure, invalid } from '../failure.ts'
import type { Price } from '../objects/catalog.ts'
import type { Customer, TaxId } from '../objects/customer.ts'
import { newTaxRate, type Tax } from '../objects/tax.ts'
import type { Work } from '../work.ts'

/** In percent, for the six countries where the sandbox collects tax (VAT, or GST in Australia). */
const percentages: Record<string, number> = { AT: 20, AU: 10, CH: 8.1, DE: 19, FR: 20, IT: 22 }
/** Members of the European Union among the six. */
const unionCountries = new Set(['AT', 'DE', 'FR', 'IT'])

/** A company in the European Union pays the tax itself (reverse charge); outside the six countries none is collected. */
export async function taxFor(work: Work, customer: Customer, taxIds: TaxId[]): Promise<Tax> {
  const country = customer.address?.country ?? ''
  const percentage = percentages[country] ?? 0
  const isCompany = taxIds.some(({ type }) => type === 'eu_vat')
  if (percentage === 0) return { rate: await findOrCreateRate(work, country, 0), reason: 'not_collecting' }
  if (isCompany && unionCountries.has(country))
    return { rate: await findOrCreateRate(work, country, 0), reason: 'reverse_charge' }
  return { rate: await findOrCreateRate(work, country, percentage), reason: 'standard_rated' }
}

async function findOrCreateRate(work: Work, country: string, percentage: number) {
  const [existing] = await work.all('tax_rate', { country, percentage })
  return existing ?? work.insert(newTaxRate(work.now, country, percentage))
}

export async function taxIdsOf(work: Work, customer: string): Promise<TaxId[]> {
  const taxIds = await work.all('tax_id', { customer })
  return taxIds.filter((taxId): taxId is TaxId => !('deleted' in taxId))
}

export function assertTaxable({ address }: Customer, price: Price) {
  if (!address?.country) throw invalidLocation('automatic_tax[enabled]')
  if (price.tax_behavior === 'unspecified') throw invalid('The price has no tax_behavior.', 'items[0][price]')
}

const postalCodes: Record<string, RegExp> = { US: /^(?!00000)\d{5}(-\d{4})?$/, CA: /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/i }

export function assertTaxLocation(address: Customer['address']) {
  const { country, postal_code: postalCode } = address ?? {}
  const isPostalCodeInvalid = postalCodes[country ?? '']?.test(postalCode ?? '') === false
  if (!country || isPostalCodeInvalid) throw invalidLocation('address')
}

const invalidLocation = (param: string) =>
  new Failure(400, {
    type: 'invalid_request_error',
    code: 'customer_tax_location_invalid',
    message: "The customer's location isn't recognized. Set a valid customer address.",
    param,
  })
