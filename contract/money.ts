/** 3900 becomes $39.00. */
export const exactDollars = (cents: number) => `$${(cents / 100).toFixed(2)}`
