/** A list from the contract as SQL, for places that take no parameters: an index, a check, a `copy`. */
export const sqlList = (words: readonly string[]) => `(${words.map((word) => `'${word}'`).join(', ')})`
