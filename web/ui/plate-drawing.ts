import { type Bar, bars, type Signal, signals } from './sample-data.ts'

/** Drawing units: thousandths of the frame's width and height. */
export const size = 1000

/** Strips above and below the candles, which hold the labels. */
const strips = { top: 110, bottom: 130 }

/** First and last day of the frame and the last day drawn, as indexes of `bars`. */
export type View = { from: number; to: number; last?: number | undefined }

const round = (value: number) => Math.round(value * 10) / 10

/** Maps days and prices to the frame. The frame stays the same while days are added. */
function scaleOf({ from, to }: View) {
  const framed = bars.slice(from, to + 1)
  const highest = Math.max(...framed.map((bar) => Math.max(bar.high, bar.upper)))
  const lowest = Math.min(...framed.map((bar) => Math.min(bar.low, bar.lower)))
  const step = size / framed.length
  return {
    step,
    x: (day: number) => round((day - from + 0.5) * step),
    y: (price: number) =>
      round(strips.top + ((highest - price) / (highest - lowest)) * (size - strips.top - strips.bottom)),
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
        const tall = Math.max(3, round(y(Math.min(bar.open, bar.close)) - top))
        return `M${round(x(day) - width / 2)} ${top}h${round(width)}v${tall}h${-round(width)}z`
      })
      .join(''),
  }
}

export type Mark = Signal & { x: number; y: number }

/** Paths and marks of a view. */
export function draw(view: View) {
  const scale = scaleOf(view)
  const days = drawnDays(view)
  const end = days.at(-1)
  const lower = lineOf(days, scale, (bar) => bar.lower)
  const [edgeX, startX] = [scale.x(end?.day ?? view.from), scale.x(view.from)]
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
    /** Below two standard deviations. */
    zone: `${lower}L${edgeX} ${size}L${startX} ${size}z`,
    marks: signals
      .filter(({ bar }) => days.some(({ day }) => day === bar))
      .map((signal): Mark => {
        const bar = bars[signal.bar]
        const price = signal.kind === 'entry' ? bar?.low : bar?.high
        return { ...signal, x: scale.x(signal.bar), y: scale.y(price ?? 0) }
      }),
    /** End of the band, for its labels in the margin. */
    edge: end && { upper: scale.y(end.bar.upper), mean: scale.y(end.bar.mean), lower: scale.y(end.bar.lower) },
  }
}
