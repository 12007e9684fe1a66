/** So many at the same time, each with its number, until all of them are done. */
export const concurrently = <Result>(
  count: number,
  work: (number: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from(Array(count).keys(), work))

/** So many at the same time, each taking one turn after the other until they are stopped. */
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
