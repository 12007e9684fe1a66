/** Runs one at a time per key; calls that arrive while a run waits to start share it. */
export function coalesce(work: (key: string) => Promise<void>) {
  const runExclusive = createKeyedMutex()
  const waiting = new Map<string, Promise<void>>()
  return function join(key: string): Promise<void> {
    const shared =
      waiting.get(key) ??
      runExclusive(key, () => {
        waiting.delete(key)
        return work(key)
      })
    waiting.set(key, shared)
    return shared
  }
}

function createKeyedMutex() {
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
