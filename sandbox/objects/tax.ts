import { blank } from './blank.ts'

export const sumOf = (amounts: { amount: number }[]) => amounts.reduce((sum, { amount }) => sum + amount, 0)

export const newTaxRate = (now: number, country: string, percentage: number) => ({
  ...blank('tax_rate', 'txr'),
  country,
  created: now,
  display_name: country === 'AU' ? 'GST' : 'VAT',
  effective_percentage: percentage,
  jurisdiction: country,
  percentage,
  tax_type: country === 'AU' ? ('gst' as const) : ('vat' as const),
})

export type TaxRate = ReturnType<typeof newTaxRate>

export type Tax = { rate: TaxRate; reason: 'standard_rated' | 'reverse_charge' | 'not_collecting' }

/** The tax inside a price, to the cent. Percentages have at most two decimals, so whole numbers are enough. */
export function taxInside(amount: number, percentage: number): number {
  const hundredths = Math.round(percentage * 100)
  return Math.round((amount * hundredths) / (10_000 + hundredths))
}

/** Tax of a price, which includes it or adds it on top. */
export const taxesOn = (net: number, tax: Tax | null, behavior: 'inclusive' | 'exclusive') =>
  taxesInside(net + (behavior === 'exclusive' && tax ? taxOnTop(net, tax) : 0), tax, behavior)

const taxOnTop = (net: number, { rate, reason }: Tax) =>
  reason === 'standard_rated' ? Math.round((net * Math.round(rate.percentage * 100)) / 10_000) : 0

/** Tax of an amount that includes it, regardless of the price's `tax_behavior`. */
export function taxesInside(total: number, tax: Tax | null, behavior: 'inclusive' | 'exclusive') {
  if (!tax) return []
  const amount = tax.reason === 'standard_rated' ? taxInside(total, tax.rate.percentage) : 0
  return [
    {
      amount,
      tax_behavior: behavior,
      tax_rate_details: { tax_rate: tax.rate.id },
      taxability_reason: tax.reason,
      taxable_amount: total - amount,
      type: 'tax_rate_details' as const,
    },
  ]
}
