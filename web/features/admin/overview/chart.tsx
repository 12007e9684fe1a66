import { useState } from 'react'
import type { OverviewMonth } from '#contract/admin/overview.ts'
import { gainKinds, type MovementKind, movementKinds } from '#contract/statuses.ts'
import { Card } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { formatNumber } from '../parts/count.ts'
import { FigureTable, linkClasses } from './figure.tsx'
import { formatMonth, formatPerMonth, formatSignedPerMonth, kindTexts } from './words.ts'

const shortMonthFormat = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const barColors: Record<MovementKind, string> = {
  new: 'bg-accent',
  reactivation: 'bg-accent/60',
  expansion: 'bg-accent/30',
  contraction: 'bg-danger/45',
  churn: 'bg-danger',
}
const losses = ['churn', 'contraction'] as const
const plotHeightPx = 168
const amountLabelHeightPx = 22

/** In cents per year. */
export const netOf = ({ movements }: OverviewMonth) => movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)
/** Without sign, in cents per year. */
const sumOfKinds = ({ movements }: OverviewMonth, kinds: readonly MovementKind[]) =>
  kinds.reduce((sum, kind) => sum + Math.abs(movements[kind].arr), 0)
/** Whole dollars per month; `arr` is in cents per year. */
const formatWholeDollars = (arr: number) => `$${formatNumber(Math.round(arr / 1200))}`

/** Shows the newest month, because a phone is too narrow for all months. */
const scrollToNewest = (frame: HTMLDivElement | null) => frame?.scrollTo({ left: frame.scrollWidth })

/** `daysSoFar` is a text like "12 of 30 days". */
export function MovementsChart({ months, daysSoFar }: { months: OverviewMonth[]; daysSoFar: string }) {
  const [hoveredMonth, setHoveredMonth] = useState<string>()
  const highestGain = Math.max(...months.map((month) => sumOfKinds(month, gainKinds)))
  const highestLoss = Math.max(...months.map((month) => sumOfKinds(month, losses)))
  // Pixels for one cent of yearly revenue.
  const scale = plotHeightPx / Math.max(1, highestGain + highestLoss)
  const selectedMonth = months.find(({ month }) => month === hoveredMonth) ?? months.at(-1)
  return (
    <Card className="min-w-0 p-5">
      <figure className="flex flex-col gap-3">
        <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2">
          <h2 className="text-lg">What moved the revenue</h2>
          <span className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
            <span className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className="h-0.5 w-3 bg-ink" />
              Revenue a month
            </span>
            {movementKinds.map((kind) => (
              <span key={kind} className="inline-flex items-center gap-1.5">
                <span aria-hidden="true" className={classes('size-2.5 rounded-xs', barColors[kind])} />
                {kindTexts[kind]}
              </span>
            ))}
          </span>
        </figcaption>
        {selectedMonth && (
          <p className="min-h-10 text-sm text-muted tabular-nums sm:min-h-5">{describeMonth(selectedMonth)}</p>
        )}
        <div ref={scrollToNewest} className="overflow-x-auto">
          <div className="relative grid min-w-180 auto-cols-fr grid-flow-col text-xs">
            {months.map((month) => (
              <Column
                key={month.month}
                month={month}
                isSelected={month === selectedMonth}
                barSpace={{ gains: highestGain * scale, losses: highestLoss * scale }}
                scale={scale}
                onChoose={() => setHoveredMonth(month.month)}
              />
            ))}
            <RevenueLine months={months} />
          </div>
        </div>
        <details>
          <summary className="w-fit cursor-pointer rounded-sm text-sm font-medium text-accent-strong">
            What moved the revenue as a table
          </summary>
          <div className="pt-3">
            <MovementsTable months={months} daysSoFar={daysSoFar} />
          </div>
        </details>
      </figure>
    </Card>
  )
}

function describeMonth(month: OverviewMonth) {
  const parts = [`${formatMonth(month.month)}: ${formatPerMonth(month.arr)} a month`]
  for (const kind of movementKinds) {
    const { arr, count } = month.movements[kind]
    if (count !== 0) parts.push(`${kindTexts[kind]} ${formatSignedPerMonth(arr)} (${count})`)
  }
  parts.push(`net ${formatSignedPerMonth(netOf(month))}`)
  return parts.join(' · ')
}

function Column(props: {
  month: OverviewMonth
  isSelected: boolean
  /** Height of the highest bars above and below the axis, in pixels. */
  barSpace: { gains: number; losses: number }
  scale: number
  onChoose: () => void
}) {
  const { month, isSelected, barSpace, scale, onChoose } = props
  const gained = sumOfKinds(month, gainKinds)
  const lost = sumOfKinds(month, losses)
  const renderBar = (kind: MovementKind) => (
    <span
      key={kind}
      className={classes('block w-full', barColors[kind])}
      style={{ height: Math.abs(month.movements[kind].arr) * scale }}
    />
  )
  return (
    <Link
      href={`/admin/overview/figures?month=${month.month}`}
      onPointerEnter={onChoose}
      onFocus={onChoose}
      className={classes(
        'flex flex-col items-center rounded-sm px-1 text-center whitespace-nowrap -outline-offset-2',
        isSelected && 'bg-accent-soft/60',
      )}
    >
      <span className="sr-only">{describeMonth(month)}</span>
      <span
        aria-hidden="true"
        className="flex w-full flex-col items-center justify-end"
        style={{ height: barSpace.gains + amountLabelHeightPx }}
      >
        <span className="leading-5 text-ink tabular-nums">{gained > 0 && `+${formatWholeDollars(gained)}`}</span>
        <span className="flex w-3/5 flex-col-reverse">{gainKinds.map(renderBar)}</span>
      </span>
      <span
        aria-hidden="true"
        className="flex w-full flex-col items-center border-t border-field"
        style={{ height: barSpace.losses + amountLabelHeightPx }}
      >
        <span className="flex w-3/5 flex-col">{losses.map(renderBar)}</span>
        <span className="leading-5 text-danger tabular-nums">{lost > 0 && `−${formatWholeDollars(lost)}`}</span>
      </span>
      <span aria-hidden="true" className="pb-1 leading-5 text-muted">
        {shortMonthFormat.format(new Date(`${month.month}-01T00:00:00Z`))}
      </span>
    </Link>
  )
}

/** Line from zero to the highest month, on its own scale. It leaves 12% of the height free at the top. */
function RevenueLine({ months }: { months: OverviewMonth[] }) {
  const highest = Math.max(1, ...months.map(({ arr }) => arr))
  const points = months.map(
    ({ arr }, index) => `${((index + 0.5) * 100) / months.length},${100 - (arr * 88) / highest}`,
  )
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="pointer-events-none absolute inset-x-0 top-0 w-full"
      style={{ height: plotHeightPx }}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
        className="stroke-ink"
      />
    </svg>
  )
}

function MovementsTable({ months, daysSoFar }: { months: OverviewMonth[]; daysSoFar: string }) {
  return (
    <FigureTable
      label="What moved the revenue"
      heads={['Month', ...movementKinds.map((kind) => kindTexts[kind]), 'Net', 'MRR', 'Paying']}
      rows={months.toReversed().map((month, index) => [
        <span key="month">
          {formatMonth(month.month)}
          {index === 0 && ` (${daysSoFar})`}
          {month.late > 0 && (
            <span className="block text-xs text-muted">
              {month.late === 1 ? '1 movement was' : `${month.late} movements were`} recorded after it was over
            </span>
          )}
        </span>,
        ...movementKinds.map((kind) =>
          month.movements[kind].count === 0 ? (
            '–'
          ) : (
            <Link key={kind} href={`/admin/overview/figures?kind=${kind}&month=${month.month}`} className={linkClasses}>
              {formatSignedPerMonth(month.movements[kind].arr)}{' '}
              <span className="text-xs text-muted">({month.movements[kind].count})</span>
            </Link>
          ),
        ),
        <strong key="net" className="font-medium">
          {formatSignedPerMonth(netOf(month))}
        </strong>,
        formatPerMonth(month.arr),
        formatNumber(month.paying),
      ])}
    />
  )
}
