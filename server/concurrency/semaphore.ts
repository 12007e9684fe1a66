type Limits = { atOnce: number; maxWaiting: number; refusal: () => Error }

export function createSemaphore({ atOnce, maxWaiting, refusal }: Limits) {
  const waiting: (() => void)[] = []
  let running = 0

  /** Admits the next caller in place of the one that ends, so `running` changes only if none waits. */
  function release() {
    const admitNext = waiting.shift()
    if (admitNext) admitNext()
    else running -= 1
  }

  /** The returned function must be called once. */
  async function acquire(): Promise<() => void> {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) throw refusal()
      await new Promise<void>((admit) => waiting.push(admit))
    } else running += 1
    return release
  }

  return {
    acquire,
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
