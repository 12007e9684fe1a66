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
  return {
    step,
    x: (day: number) => round((day - from + 0.5) * step),
    y: (price: number) =>
      round(
        labelStrips.top + ((highest - price) / (highest - lowest)) * (frameSize - labelStrips.top - labelStrips.bottom),
      ),
  }
}

type Scale = ReturnType<typeof scaleOf>

const drawnDays = ({ from, to, last = to }: View) =>
  bars.flatMap((bar, day) => (day >= from && day <= Math.min(to, last) ? [{ bar, day }] : []))

const lineOf = (days: { bar: Bar; day: number }[], { x, y }: Scale, read: (bar: Bar) => number) =>
  days.map(({ bar, day }, index) => `${index === 0 ? 'M' : 'L'}${x(day)} ${y(read(bar))}`).join('')

function candlesOf(days: { bar: Bar; day: number }[], { step, x, y }: Scale) {
  const width = step * 0.6
  return {
    wicks: days.map(({ bar, day }) => `M${x(day)} ${y(bar.high)}V${y(bar.low)}`).join(''),
    bodies: days
      .map(({ bar, day }) => {
        const top = y(Math.max(bar.open, bar.close))
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
  return {
    rising: candlesOf(
      days.filter(({ bar }) => bar.close >= bar.open),
      scale,
    ),
    falling: candlesOf(
      days.filter(({ bar }) => bar.close < bar.open),
      scale,
    ),
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
