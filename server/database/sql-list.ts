/** A list of the contract as SQL, for places where no parameter can stand: an index, a check, a `copy`. */
export const sqlList = (words: readonly string[]) => `(${words.map((word) => `'${word}'`).join(', ')})`
