const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Where money is charged: 3900 becomes $39.00, 1234567 becomes $12,345.67. */
export const exactDollars = (cents: number) => usd.format(cents / 100)

/** Where it is advertised: 3900 becomes $39, 3950 becomes $39.50. */
export const dollars = (cents: number) => exactDollars(cents).replace('.00', '')
