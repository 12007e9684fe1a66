/** When something was answered, to find the longest time in which nothing was. */
export function createTimeline() {
  const times: number[] = []
  return {
    add: () => void times.push(performance.now()),
    longestGap(from: number, to: number): number {
      const between = [from, ...times.filter((time) => time > from && time < to), to]
      return Math.max(...between.slice(1).map((time, index) => time - (between[index] ?? from)))
    },
  }
}
