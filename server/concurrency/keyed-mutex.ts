export type RunExclusive = ReturnType<typeof createKeyedMutex>

/** Work with the same key runs one at a time, in the order it was requested. */
export function createKeyedMutex() {
  const tails = new Map<string, Promise<unknown>>()
  return function runExclusive<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (tails.get(key) ?? Promise.resolve()).then(work)
    const tail = result
      .catch(() => {})
      .finally(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
    return result
  }
}
