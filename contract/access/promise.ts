const accessPromiseHours = 24

export const promisedBy = (askedAt: Date) => new Date(askedAt.getTime() + accessPromiseHours * 3_600_000)

/** `unlocksItself` is true if the connector unlocks the buyers of the product. */
export const accessPromise = ({ unlocksItself }: { unlocksItself: boolean }) =>
  `Your access is activated within ${accessPromiseHours} hours of your request, ${unlocksItself ? 'usually within minutes' : 'by hand'}, and an email follows.`
