import { newId } from '../basics.ts'

export const newTaxRate = (now: number, country: string, percentage: number) => ({
  id: newId('txr'),
  object: 'tax_rate' as const,
  active: true,
  country,
  created: now,
  description: null,
  display_name: country === 'AU' ? 'GST' : 'VAT',
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
  tax_type: country === 'AU' ? ('gst' as const) : ('vat' as const),
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
