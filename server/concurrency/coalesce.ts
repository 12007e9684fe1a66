import { createKeyedMutex } from './keyed-mutex.ts'

/** One run at a time per key; calls that arrive while a run is waiting to start share that run. */
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
