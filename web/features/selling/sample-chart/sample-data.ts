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
export type Signal = { kind: 'entry' | 'exit'; day: number }

/** Days before the chart begins, so that its first bar already has a band. */
const lookback = 20
const days = 120

/** Falls of the price. `fall` and `recovery` are daily changes; the second fall does not recover. */
const pullbacks = [
  { from: 38, days: 4, fall: 0.021, recovery: 0.0135 },
  { from: 77, days: 3, fall: 0.026, recovery: -0.004 },
  { from: 115, days: 4, fall: 0.022, recovery: 0.0145 },
]

const recoveryDays = 6
const usualGrowth = 0.0019

/** Prices of a made-up symbol. Uses only arithmetic whose result is the same on the server and in every browser. */
export const bars: Bar[] = createBars()
/** The chart's description (`sample-chart.tsx`) counts these signals, so it depends on the seed. */
export const signals: Signal[] = findSignals()

function createBars(): Bar[] {
  const random = createRandom(15)
  const closes: number[] = []
  const createdBars: Bar[] = []
  let price = 92
  for (let day = 0; day < days + lookback; day += 1) {
    const open = price * (1 + (random() - 0.5) * 0.006)
    const close = open * (1 + changeOn(day) + (random() - 0.5) * 0.017)
    const maxWick = price * 0.008
    closes.push(close)
    price = close
    if (day < lookback) continue
    const recent = closes.slice(-lookback)
    const mean = recent.reduce((sum, value) => sum + value, 0) / lookback
    const variance = recent.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / lookback
    const deviation = Math.sqrt(variance)
    createdBars.push({
      open,
      close,
      high: Math.max(open, close) + random() * maxWick,
      low: Math.min(open, close) - random() * maxWick,
      mean,
      upper: mean + 2 * deviation,
      lower: mean - 2 * deviation,
    })
  }
  return createdBars
}

/** Returns the day's planned change as a fraction of the price, before random noise. */
function changeOn(day: number) {
  for (const { from, days: length, fall, recovery } of pullbacks) {
    const recoveryStart = from + length
    if (day >= from && day < recoveryStart) return -fall
    if (day >= recoveryStart && day < recoveryStart + recoveryDays) return recovery
  }
  return usualGrowth
}

/** Enters when a higher close follows one below the lower band; exits above the mean or after five days. */
function findSignals(): Signal[] {
  const foundSignals: Signal[] = []
  let entryDay: number | null = null
  for (const [index, bar] of bars.entries()) {
    const previousBar = bars[index - 1]
    if (entryDay === null) {
      const isRebound = previousBar && previousBar.close < previousBar.lower && bar.close > previousBar.close
      if (!isRebound) continue
      entryDay = index
      foundSignals.push({ kind: 'entry', day: index })
    } else if (bar.close > bar.mean || index - entryDay >= 5) {
      entryDay = null
      foundSignals.push({ kind: 'exit', day: index })
    }
  }
  return foundSignals
}

/** Linear congruential generator: integer arithmetic gives the same numbers between 0 and 1 everywhere. */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
