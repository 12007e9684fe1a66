/** The result of some work, and how many milliseconds it took. */
export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<[result: Result, milliseconds: number]> {
  const started = performance.now()
  return [await work(), performance.now() - started]
}
