import { type Bar, bars, type Signal, signals } from './sample-data.ts'

/** Drawing units: thousandths of the frame's width and height. */
export const frameSize = 1000

/** Space for labels above and below the candles, in drawing units. */
const labelStrips = { top: 110, bottom: 130 }

/** First and last day of the frame and the last day drawn, as indexes of `bars`. */
export type View = { from: number; to: number; last?: number | undefined }

/** Rounds to one decimal, which keeps the paths short. */
const round = (value: number) => Math.round(value * 10) / 10

/** The frame stays the same while days are added. */
function scaleOf({ from, to }: View) {
  const framed = bars.slice(from, to + 1)
  const highest = Math.max(...framed.map((bar) => Math.max(bar.high, bar.upper)))
  const lowest = Math.min(...framed.map((bar) => Math.min(bar.low, bar.lower)))
  const step = frameSize / framed.length
  const candleHeight = frameSize - labelStrips.top - labelStrips.bottom
  return {
    step,
    x: (day: number) => round((day - from + 0.5) * step),
    y: (price: number) => round(labelStrips.top + ((highest - price) / (highest - lowest)) * candleHeight),
  }
}

type Scale = ReturnType<typeof scaleOf>

/** `day` is the bar's index in `bars`. */
type ChartDay = { bar: Bar; day: number }

function drawnDays({ from, to, last = to }: View): ChartDay[] {
  const days = bars.map((bar, day) => ({ bar, day }))
  return days.slice(from, Math.min(to, last) + 1)
}

const lineOf = (days: ChartDay[], { x, y }: Scale, priceOf: (bar: Bar) => number) =>
  days.map(({ bar, day }, index) => `${index === 0 ? 'M' : 'L'}${x(day)} ${y(priceOf(bar))}`).join('')

function candlesOf(days: ChartDay[], { step, x, y }: Scale) {
  const width = step * 0.6
  return {
    wicks: days.map(({ bar, day }) => `M${x(day)} ${y(bar.high)}V${y(bar.low)}`).join(''),
    bodies: days
      .map(({ bar, day }) => {
        const top = y(Math.max(bar.open, bar.close))
        // At least 3 units, so that a day without a change is visible.
        const height = Math.max(3, round(y(Math.min(bar.open, bar.close)) - top))
        return `M${round(x(day) - width / 2)} ${top}h${round(width)}v${height}h${-round(width)}z`
      })
      .join(''),
  }
}

export type Mark = Signal & { x: number; y: number }

export function drawSampleChart(view: View) {
  const scale = scaleOf(view)
  const days = drawnDays(view)
  const lastDay = days.at(-1)
  const lower = lineOf(days, scale, (bar) => bar.lower)
  const startX = scale.x(view.from)
  const endX = scale.x(lastDay?.day ?? view.from)
  const risingDays = days.filter(({ bar }) => bar.close >= bar.open)
  const fallingDays = days.filter(({ bar }) => bar.close < bar.open)
  return {
    rising: candlesOf(risingDays, scale),
    falling: candlesOf(fallingDays, scale),
    closes: lineOf(days, scale, (bar) => bar.close),
    mean: lineOf(days, scale, (bar) => bar.mean),
    upper: lineOf(days, scale, (bar) => bar.upper),
    lower,
    /** Area below the band's lower line. */
    zone: `${lower}L${endX} ${frameSize}L${startX} ${frameSize}z`,
    marks: signals
      .filter((signal) => days.some(({ day }) => day === signal.day))
      .map((signal): Mark => {
        const bar = bars[signal.day]
        const price = signal.kind === 'entry' ? bar?.low : bar?.high
        return { ...signal, x: scale.x(signal.day), y: scale.y(price ?? 0) }
      }),
    /** Heights of the band's lines on the last day, for the labels in the right margin. */
    edge: lastDay && {
      upper: scale.y(lastDay.bar.upper),
      mean: scale.y(lastDay.bar.mean),
      lower: scale.y(lastDay.bar.lower),
    },
  }
}
