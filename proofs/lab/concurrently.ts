/** Runs this many at the same time, each with its number, until all are done. */
export const concurrently = <Result>(
  count: number,
  work: (number: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from(Array(count).keys(), work))

/** Runs this many at the same time, each taking one turn after another until stopped. */
export function keepDoing(count: number, begin: (number: number) => (turn: number) => Promise<unknown>) {
  let running = true
  const done = concurrently(count, async (number) => {
    const work = begin(number)
    for (let turn = 0; running; turn++) await work(turn)
  })
  return {
    async stop() {
      running = false
      await done
    },
  }
}
