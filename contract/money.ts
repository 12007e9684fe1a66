const dollarFormat = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Amount as it is charged: 3900 becomes $39.00. */
export const exactDollars = (cents: number) => dollarFormat.format(cents / 100)

/** Amount as it is advertised: 3900 becomes $39, 3950 becomes $39.50. */
export const dollars = (cents: number) => exactDollars(cents).replace('.00', '')

/** Formats an amount in Stripe's smallest unit of a currency: ('chf', 3131) becomes CHF 31.31. */
export function formatMoney(currency: string, amount: number) {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() })
  const units = amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2)
  return format.format(units).replace('-', '−')
}
