import { useId } from 'react'
import type { OverviewMonth } from '#contract/desk/overview.ts'
import { Card } from '#web/ui/card.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'

type Series = {
  name: string
  of: (month: OverviewMonth) => number
  text: (value: number) => string
  isLoss?: boolean
}

const [width, height, ground] = [324, 150, 128]
const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const short = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const dateOf = ({ month }: OverviewMonth) => new Date(`${month}-01T00:00:00Z`)

/** Twelve months of bars, with the same data as a table for screen readers and exact figures. */
export function Chart({
  title,
  months,
  series,
  soFar,
}: {
  title: string
  months: OverviewMonth[]
  series: Series[]
  /** How much of the last month, which is still running, there is: “15 of 30 days”. */
  soFar: string
}) {
  const hatch = useId()
  const isRunning = (index: number) => index === months.length - 1
  const nameOf = (month: OverviewMonth, index: number) =>
    `${long.format(dateOf(month))}${isRunning(index) ? ` (${soFar})` : ''}`
  const highest = Math.max(1, ...series.flatMap(({ of }) => months.map(of)))
  const slot = width / months.length
  const bar = (slot - 6) / series.length
  const tallness = (value: number) => (Math.max(value, 0) / highest) * (ground - 8)
  return (
    <Card className="min-w-0 p-5">
      <figure className="flex flex-col gap-4">
        <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="text-base font-medium">{title}</h2>
          {series.length > 1 && <Legend series={series} />}
        </figcaption>
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" className="w-full">
          {/* The running month is hatched: it will grow. */}
          <defs>
            {series.map(({ name, isLoss }) => (
              <pattern
                key={name}
                id={`${hatch}-${name}`}
                width="5"
                height="5"
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
              >
                <rect width="5" height="5" className={isLoss ? 'fill-field/25' : 'fill-accent/25'} />
                <rect width="2.5" height="5" className={isLoss ? 'fill-field' : 'fill-accent'} />
              </pattern>
            ))}
          </defs>
          {[0, 0.5, 1].map((share) => (
            <line
              key={share}
              x1="0"
              x2={width}
              y1={ground - share * (ground - 8)}
              y2={ground - share * (ground - 8)}
              className="stroke-line"
              strokeDasharray={share === 0 ? undefined : '2 4'}
            />
          ))}
          {months.map((month, index) => (
            <g key={month.month}>
              {series.map(({ name, of, text, isLoss }, position) => (
                <rect
                  key={name}
                  x={index * slot + 3 + position * bar}
                  y={ground - tallness(of(month))}
                  width={bar - (series.length > 1 ? 1 : 0)}
                  height={tallness(of(month))}
                  rx="2.5"
                  {...(isRunning(index)
                    ? { fill: `url(#${hatch}-${name})` }
                    : { className: isLoss ? 'fill-field' : 'fill-accent' })}
                >
                  <title>{`${nameOf(month, index)}: ${text(of(month))} ${name.toLowerCase()}`}</title>
                </rect>
              ))}
              {index % 2 === 1 && (
                <text
                  x={index * slot + slot / 2}
                  y={height - 4}
                  textAnchor="middle"
                  className="fill-muted text-[11px]"
                >
                  {short.format(dateOf(month))}
                </text>
              )}
            </g>
          ))}
        </svg>
        <details className="group">
          <summary className="w-fit cursor-pointer rounded-sm text-sm font-medium text-accent-strong">
            {title} as a table
          </summary>
          <div className="pt-3">
            <Table label={title}>
              <thead>
                <tr>
                  <HeadCell>Month</HeadCell>
                  {series.map(({ name }) => (
                    <HeadCell key={name} className="text-right">
                      {name}
                    </HeadCell>
                  ))}
                </tr>
              </thead>
              <tbody>
                {months
                  .map((month, index) => ({ month, heading: nameOf(month, index) }))
                  .toReversed()
                  .map(({ month, heading }) => (
                    <tr key={month.month}>
                      <Cell className="py-2 whitespace-nowrap">{heading}</Cell>
                      {series.map(({ name, of, text }) => (
                        <Cell key={name} className="py-2 text-right tabular-nums">
                          {text(of(month))}
                        </Cell>
                      ))}
                    </tr>
                  ))}
              </tbody>
            </Table>
          </div>
        </details>
      </figure>
    </Card>
  )
}

function Legend({ series }: { series: Series[] }) {
  return (
    <span className="flex gap-3 text-xs text-muted">
      {series.map(({ name, isLoss }) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span className={`size-2.5 rounded-full ${isLoss ? 'bg-field' : 'bg-accent'}`} />
          {name}
        </span>
      ))}
    </span>
  )
}
