/** 3900 becomes $39.00. */
export function exactDollars(cents: number) {
  return `$${(cents / 100).toFixed(2)}`
}

/** 3900 becomes $39, 3950 becomes $39.50. */
export function dollars(cents: number) {
  return exactDollars(cents).replace(/\.00$/, '')
}
