/** Where money is charged: 3900 becomes $39.00. Without `Intl`, whose first use costs a page 30 ms before it is hydrated. */
export function exactDollars(cents: number) {
  const [whole = '', rest] = (Math.abs(cents) / 100).toFixed(2).split('.')
  return `${cents < 0 ? '-' : ''}$${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${rest}`
}

/** Where it is advertised: 3900 becomes $39, 3950 becomes $39.50. */
export const dollars = (cents: number) => exactDollars(cents).replace('.00', '')
