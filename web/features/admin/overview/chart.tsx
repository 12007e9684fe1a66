import { useState } from 'react'
import type { OverviewMonth } from '#contract/admin/overview.ts'
import { gainKinds, type MovementKind, movementKinds } from '#contract/statuses.ts'
import { Card } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { number } from '../parts/count.ts'
import { FigureTable, underlined } from './figure.tsx'
import { kindTexts, monthName, perMonth, signed } from './words.ts'

const short = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const fills: Record<MovementKind, string> = {
  new: 'bg-accent',
  reactivation: 'bg-accent/60',
  expansion: 'bg-accent/30',
  contraction: 'bg-danger/45',
  churn: 'bg-danger',
}
const losses = ['churn', 'contraction'] as const
/** Height of the bars, in pixels. */
const plotHeight = 168

export const netOf = ({ movements }: OverviewMonth) => movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)
const sumOf = ({ movements }: OverviewMonth, kinds: readonly MovementKind[]) =>
  kinds.reduce((sum, kind) => sum + Math.abs(movements[kind].arr), 0)
const wholeDollars = (arr: number) => `$${number(Math.round(arr / 1200))}`

/** Scrolls to the newest month; on a phone, earlier months are to the left. */
const showNewest = (frame: HTMLDivElement | null) => frame?.scrollTo({ left: frame.scrollWidth })

/** Line of monthly revenue over bars of gains and losses; the table below has the same numbers. */
export function MovementsChart({ months, soFar }: { months: OverviewMonth[]; soFar: string }) {
  const [chosen, choose] = useState<string>()
  const up = Math.max(...months.map((month) => sumOf(month, gainKinds)))
  const down = Math.max(...months.map((month) => sumOf(month, losses)))
  const scale = plotHeight / Math.max(1, up + down)
  const selected = months.find(({ month }) => month === chosen) ?? months.at(-1)
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
                <span aria-hidden="true" className={classes('size-2.5 rounded-xs', fills[kind])} />
                {kindTexts[kind]}
              </span>
            ))}
          </span>
        </figcaption>
        {selected && <p className="min-h-10 text-sm text-muted tabular-nums sm:min-h-5">{inWords(selected)}</p>}
        <div ref={showNewest} className="overflow-x-auto">
          <div className="relative grid min-w-180 auto-cols-fr grid-flow-col text-xs">
            {months.map((month) => (
              <Column
                key={month.month}
                month={month}
                isShown={month === selected}
                space={{ up: up * scale, down: down * scale }}
                scale={scale}
                onChoose={() => choose(month.month)}
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
            <MovementsTable months={months} soFar={soFar} />
          </div>
        </details>
      </figure>
    </Card>
  )
}

/** Sentence with all values of a month, for tooltips and screen readers. */
function inWords(month: OverviewMonth) {
  const each = movementKinds
    .filter((kind) => month.movements[kind].count !== 0)
    .map((kind) => `${kindTexts[kind]} ${signed(month.movements[kind].arr)} (${month.movements[kind].count})`)
  return [`${monthName(month.month)}: ${perMonth(month.arr)} a month`, ...each, `net ${signed(netOf(month))}`].join(
    ' · ',
  )
}

function Column(props: {
  month: OverviewMonth
  isShown: boolean
  space: { up: number; down: number }
  scale: number
  onChoose: () => void
}) {
  const { month, isShown, space, scale, onChoose } = props
  const [gained, lost] = [sumOf(month, gainKinds), sumOf(month, losses)]
  const bar = (kind: MovementKind) => (
    <span
      key={kind}
      className={classes('block w-full', fills[kind])}
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
        isShown && 'bg-accent-soft/60',
      )}
    >
      <span className="sr-only">{inWords(month)}</span>
      <span
        aria-hidden="true"
        className="flex w-full flex-col items-center justify-end"
        style={{ height: space.up + 22 }}
      >
        <span className="leading-5 text-ink tabular-nums">{gained > 0 && `+${wholeDollars(gained)}`}</span>
        <span className="flex w-3/5 flex-col-reverse">{gainKinds.map(bar)}</span>
      </span>
      <span
        aria-hidden="true"
        className="flex w-full flex-col items-center border-t border-field"
        style={{ height: space.down + 22 }}
      >
        <span className="flex w-3/5 flex-col">{losses.map(bar)}</span>
        <span className="leading-5 text-danger tabular-nums">{lost > 0 && `−${wholeDollars(lost)}`}</span>
      </span>
      <span aria-hidden="true" className="pb-1 leading-5 text-muted">
        {short.format(new Date(`${month.month}-01T00:00:00Z`))}
      </span>
    </Link>
  )
}

/** Scaled from zero to the highest month, apart from the bars. */
function RevenueLine({ months }: { months: OverviewMonth[] }) {
  const most = Math.max(1, ...months.map(({ arr }) => arr))
  const points = months.map(({ arr }, place) => `${((place + 0.5) * 100) / months.length},${100 - (arr * 88) / most}`)
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="pointer-events-none absolute inset-x-0 top-0 w-full"
      style={{ height: plotHeight }}
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

function MovementsTable({ months, soFar }: { months: OverviewMonth[]; soFar: string }) {
  return (
    <FigureTable
      label="What moved the revenue"
      heads={['Month', ...movementKinds.map((kind) => kindTexts[kind]), 'Net', 'MRR', 'Paying']}
      rows={months.toReversed().map((month, index) => [
        <span key="month">
          {monthName(month.month)}
          {index === 0 && ` (${soFar})`}
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
            <Link key={kind} href={`/admin/overview/figures?kind=${kind}&month=${month.month}`} className={underlined}>
              {signed(month.movements[kind].arr)}{' '}
              <span className="text-xs text-muted">({month.movements[kind].count})</span>
            </Link>
          ),
        ),
        <strong key="net" className="font-medium">
          {signed(netOf(month))}
        </strong>,
        perMonth(month.arr),
        number(month.paying),
      ])}
    />
  )
}
