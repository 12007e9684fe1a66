const remembered = 5 * 60_000

/** How many processes died lately, this one included: what happened long ago says nothing about now. */
export function createCrashCounter(now: () => number) {
  let crashes: number[] = []
  return () => {
    const at = now()
    crashes = [...crashes.filter((crash) => at - crash < remembered), at]
    return crashes.length
  }
}
