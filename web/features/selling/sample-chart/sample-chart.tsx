import { type ReactNode, useMemo } from 'react'
import { classes } from '#web/ui/classes.ts'
import { drawSampleChart, frameSize, type Mark, type View } from './sample-chart-drawing.ts'
import { bars } from './sample-data.ts'

export const chartDescription =
  'Illustrative daily candlestick chart of a made-up symbol. Three times in 120 days, the price falls more than two standard deviations below its mean, and an entry is marked when it turns. Two exits follow four days later at a higher price, one after five days at a lower price.'

const hairline = { strokeWidth: '1', vectorEffect: 'non-scaling-stroke' } as const
const allDays: View = { from: 0, to: bars.length - 1 }

/** Made-up daily candles; rising days are hollow. Hidden from screen readers unless it has a description. */
export function SampleChart(props: {
  view?: View
  description?: string
  isLine?: boolean
  hasAxis?: boolean
  /** Animates the candles, then pauses, then marks the last signal. */
  arrives?: boolean
  className?: string
}) {
  const { view = allDays, description, isLine = false, hasAxis = false, arrives = false, className } = props
  const drawing = useMemo(() => drawSampleChart(view), [view])
  const { rising, falling, closes, mean, upper, lower, zone, marks, edge } = drawing
  const ariaAttributes = description ? { role: 'img', 'aria-label': description } : { 'aria-hidden': true }
  return (
    <span className={classes('plate relative block', arrives && 'arrives', className)}>
      <span className={classes('absolute inset-y-0 left-0', hasAxis ? 'right-13' : 'right-0')}>
        <svg className="size-full overflow-visible" {...ariaAttributes}>
          <svg viewBox={`0 0 ${frameSize} ${frameSize}`} preserveAspectRatio="none" fill="none">
            <path d={zone} className="fill-ink/5" />
            <path d={upper} className="stroke-ink/30" strokeDasharray="1 4" {...hairline} />
            <path d={mean} className="stroke-ink/40" {...hairline} />
            <path d={lower} className="stroke-ink/60" strokeDasharray="4 3" {...hairline} />
            {isLine ? (
              <path d={closes} className="stroke-ink" {...hairline} strokeWidth="1.5" />
            ) : (
              <>
                <path d={rising.wicks + falling.wicks} className="stroke-ink/70" {...hairline} />
                <path d={rising.bodies} className="fill-(--plate) stroke-ink" {...hairline} />
                <path d={falling.bodies} className="fill-ink stroke-ink" {...hairline} />
              </>
            )}
          </svg>
          {marks.map((mark, index) => (
            <SignalMark key={mark.day} mark={mark} isLast={index === marks.length - 1} />
          ))}
          {hasAxis && edge && (
            <>
              <LineLabel y={edge.upper}>+2σ</LineLabel>
              <LineLabel y={edge.mean}>mean</LineLabel>
              <LineLabel y={edge.lower}>−2σ</LineLabel>
            </>
          )}
        </svg>
      </span>
    </span>
  )
}

const percent = (units: number) => `${Math.round((10_000 * units) / frameSize) / 100}%`

function LineLabel({ y, children }: { y: number; children: ReactNode }) {
  return (
    <text x="100%" dx="8" y={percent(y)} dominantBaseline="middle" className="fill-muted font-mono text-[12px]">
      {children}
    </text>
  )
}

/** Puts the label in the strip above or below the candles, at the end of a leader line. */
function SignalMark({ mark, isLast }: { mark: Mark; isLast: boolean }) {
  const isEntry = mark.kind === 'entry'
  const x = percent(mark.x)
  // 14 units of distance to the candle's wick.
  const y = percent(mark.y + (isEntry ? 14 : -14))
  return (
    <g className={isLast ? 'last-mark' : undefined}>
      <line x1={x} x2={x} y1={y} y2={isEntry ? '93%' : '7%'} className="stroke-signal/60" strokeWidth="1" />
      <circle
        cx={x}
        cy={y}
        r="3.5"
        strokeWidth="1.5"
        className={isEntry ? 'fill-signal stroke-signal' : 'fill-(--plate) stroke-signal'}
      />
      <text
        x={x}
        y={isEntry ? '97%' : '5%'}
        textAnchor="middle"
        dominantBaseline={isEntry ? 'middle' : 'auto'}
        className="fill-ink font-mono text-[12px]"
      >
        {isEntry ? 'Entry' : 'Exit'}
      </text>
    </g>
  )
}
