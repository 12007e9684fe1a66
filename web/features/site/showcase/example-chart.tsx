import { useMemo } from 'react'
import { classes } from '#web/ui/classes.ts'
import { bars, signals } from './sample-data.ts'

const width = 1200
const height = 460
const margin = { top: 40, bottom: 64, right: 8 }
const step = (width - margin.right) / bars.length

const highest = Math.max(...bars.map((bar) => bar.high))
const lowest = Math.min(...bars.map((bar) => Math.min(bar.low, bar.lower)))

const x = (bar: number) => round((bar + 0.5) * step)
const y = (price: number) =>
  round(margin.top + ((highest - price) / (highest - lowest)) * (height - margin.top - margin.bottom))

function round(value: number) {
  return Math.round(value * 10) / 10
}

function candles(rising: boolean) {
  const chosen = bars.map((bar, index) => ({ bar, index })).filter(({ bar }) => bar.close >= bar.open === rising)
  const body = step * 0.62
  return {
    wicks: chosen.map(({ bar, index }) => `M${x(index)} ${y(bar.high)}V${y(bar.low)}`).join(''),
    bodies: chosen
      .map(({ bar, index }) => {
        const top = y(Math.max(bar.open, bar.close))
        const tall = Math.max(1.5, round(y(Math.min(bar.open, bar.close)) - top))
        return `M${round(x(index) - body / 2)} ${top}h${round(body)}v${tall}h${-round(body)}z`
      })
      .join(''),
  }
}

const line = (value: (bar: (typeof bars)[number]) => number) =>
  bars.map((bar, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value(bar))}`).join('')

function draw() {
  const lower = line((bar) => bar.lower)
  return {
    rising: candles(true),
    falling: candles(false),
    mean: line((bar) => bar.mean),
    lower,
    zone: `M0 ${height}V${y(bars[0]?.lower ?? 0)}${lower.replace('M', 'L')}H${width}V${height}z`,
  }
}

export const chartDescription =
  'Illustrative daily candlestick chart of a made-up symbol. Three times, the price falls into the shaded zone below its usual range, and an entry is marked when it turns. Two exits follow three and four days later at a higher price, one after five days at a lower price.'

const thin = { strokeWidth: '1.5', vectorEffect: 'non-scaling-stroke' } as const

/** Daily candles with entries and exits. The drawing stretches to its frame, while lines and labels keep their size. */
export function ExampleChart({ className }: { className?: string }) {
  const { rising, falling, mean, lower, zone } = useMemo(() => draw(), [])
  return (
    <span className={classes('chart-reveal relative block', className)}>
      <svg role="img" aria-label={chartDescription} className="size-full">
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" fill="none">
          <g className="stroke-line" strokeDasharray="2 6">
            {[0.2, 0.4, 0.6, 0.8].map((part) => (
              <path key={part} d={`M0 ${height * part}H${width}`} vectorEffect="non-scaling-stroke" />
            ))}
          </g>
          <path d={zone} className="fill-accent/8" />
          <path d={lower} className="stroke-accent/60" strokeDasharray="5 5" {...thin} />
          <path d={mean} className="stroke-muted/50" {...thin} />
          <path d={falling.wicks} className="stroke-muted" {...thin} />
          <path d={falling.bodies} className="fill-surface stroke-muted" {...thin} />
          <path d={rising.wicks} className="stroke-accent" {...thin} />
          <path d={rising.bodies} className="fill-accent stroke-accent" {...thin} />
        </svg>
        {signals.map(({ kind, bar }) => (
          <Marker key={bar} kind={kind} bar={bar} />
        ))}
      </svg>
    </span>
  )
}

const percent = (part: number, whole: number) => `${round((100 * part) / whole)}%`

function Marker({ kind, bar }: { kind: 'entry' | 'exit'; bar: number }) {
  const here = bars[bar]
  if (!here) return null
  const entry = kind === 'entry'
  const at = { x: percent(x(bar), width), y: percent(y(entry ? here.low : here.high), height) }
  return (
    <svg {...at} overflow="visible">
      <path d={entry ? 'M0 9l6 9h-12z' : 'M0-9l6-9h-12z'} className={entry ? 'fill-accent' : 'fill-ink'} />
      <text
        y={entry ? 33 : -24}
        textAnchor="middle"
        className="fill-ink stroke-surface font-mono text-[12px] font-semibold [paint-order:stroke]"
        strokeWidth="4"
      >
        {entry ? 'Entry' : 'Exit'}
      </text>
    </svg>
  )
}
