export type Bar = {
  open: number
  high: number
  low: number
  close: number
  /** Mean of the last 20 closes, with two standard deviations above and below. */
  mean: number
  upper: number
  lower: number
}
export type Signal = { kind: 'entry' | 'exit'; bar: number }

/** Days before the chart begins, so its first bar already has a band. */
const lookback = 20
const days = 120

/** Falls of the made-up market: when, how fast, how long, and the recovery. One fall does not recover. */
const pullbacks = [
  { from: 38, days: 4, fall: 0.021, recovery: 0.0135 },
  { from: 77, days: 3, fall: 0.026, recovery: -0.004 },
  { from: 115, days: 4, fall: 0.022, recovery: 0.0145 },
]

/** Made-up market. Server and browser must draw the same, so it uses only arithmetic that is exact everywhere. */
export const bars: Bar[] = drawBars()
export const signals: Signal[] = findSignals()

function drawBars(): Bar[] {
  const random = createRandom(15)
  const closes: number[] = []
  const drawn: Bar[] = []
  let price = 92
  for (let day = 0; day < days + lookback; day += 1) {
    const open = price * (1 + (random() - 0.5) * 0.006)
    const close = open * (1 + changeOn(day) + (random() - 0.5) * 0.017)
    const reach = price * 0.008
    closes.push(close)
    price = close
    if (day < lookback) continue
    const recent = closes.slice(-lookback)
    const mean = recent.reduce((sum, value) => sum + value, 0) / lookback
    const variance = recent.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / lookback
    const deviation = Math.sqrt(variance)
    drawn.push({
      open,
      close,
      high: Math.max(open, close) + random() * reach,
      low: Math.min(open, close) - random() * reach,
      mean,
      upper: mean + 2 * deviation,
      lower: mean - 2 * deviation,
    })
  }
  return drawn
}

function changeOn(day: number) {
  for (const { from, days: length, fall, recovery } of pullbacks) {
    if (day >= from && day < from + length) return -fall
    if (day >= from + length && day < from + length + 6) return recovery
  }
  return 0.0019
}

/** Enters when a higher close follows one below the lower band; exits above the mean or after five days. */
function findSignals(): Signal[] {
  const found: Signal[] = []
  let entry: number | null = null
  for (const [index, bar] of bars.entries()) {
    const before = bars[index - 1]
    if (entry === null && before && before.close < before.lower && bar.close > before.close) {
      entry = index
      found.push({ kind: 'entry', bar: index })
    } else if (entry !== null && (bar.close > bar.mean || index - entry >= 5)) {
      entry = null
      found.push({ kind: 'exit', bar: index })
    }
  }
  return found
}

/** Numbers between 0 and 1 from an integer linear congruential generator. */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
