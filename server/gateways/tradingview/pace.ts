/** One call a second, three at once after a pause: far below what public tools report as harmless. */
export function createPace({ perSecond = 1, burst = 3 } = {}) {
  let nextFree = 0
  return async function turn() {
    const now = performance.now()
    const gap = 1000 / perSecond
    nextFree = Math.max(nextFree, now - (burst - 1) * gap)
    const wait = nextFree - now
    nextFree += gap
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
  }
}
