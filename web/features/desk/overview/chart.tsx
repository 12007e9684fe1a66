import type { OverviewMonth } from '#contract/desk/overview.ts'
import { gains, type MovementKind, movementKinds } from '#contract/statuses.ts'
import { Card } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { number } from '../parts/count.ts'
import { FigureTable, underlined } from './figure.tsx'
import { kindTexts, monthName, perMonth, signed } from './words.ts'

const [width, height, slot, bar] = [720, 250, 60, 34]
const short = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const fills: Record<MovementKind, string> = {
  new: 'fill-accent',
  reactivation: 'fill-accent/60',
  expansion: 'fill-accent/30',
  contraction: 'fill-danger/45',
  churn: 'fill-danger',
}
const losses = ['churn', 'contraction'] as const

export const netOf = ({ movements }: OverviewMonth) => movementKinds.reduce((sum, kind) => sum + movements[kind].arr, 0)
const sumOf = ({ movements }: OverviewMonth, kinds: readonly MovementKind[]) =>
  kinds.reduce((sum, kind) => sum + Math.abs(movements[kind].arr), 0)

/** On a phone, the months before are to the left. */
const showNewest = (frame: HTMLDivElement | null) => frame?.scrollTo({ left: frame.scrollWidth })

/** What each month gained above the line and lost below it, with its net in figures; the table says the same. */
export function MovementsChart({ months, soFar }: { months: OverviewMonth[]; soFar: string }) {
  const up = Math.max(...months.map((month) => sumOf(month, gains)))
  const down = Math.max(...months.map((month) => sumOf(month, losses)))
  const scale = (height - 66) / Math.max(1, up + down)
  const ground = 22 + up * scale
  return (
    <Card className="min-w-0 p-5">
      <figure className="flex flex-col gap-4">
        <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2">
          <h2 className="text-base font-medium">What moved the revenue</h2>
          <span className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
            {movementKinds.map((kind) => (
              <span key={kind} className="inline-flex items-center gap-1.5">
                <svg viewBox="0 0 10 10" aria-hidden="true" className="size-2.5">
                  <rect width="10" height="10" rx="2" className={fills[kind]} />
                </svg>
                {kindTexts[kind]}
              </span>
            ))}
          </span>
        </figcaption>
        <div ref={showNewest} className="overflow-x-auto">
          <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" className="w-full min-w-160">
            {months.map((month, index) => (
              <Bars key={month.month} month={month} x={index * slot} ground={ground} scale={scale} />
            ))}
            <line x1="0" x2={width} y1={ground} y2={ground} className="stroke-field" />
          </svg>
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

function Bars(props: { month: OverviewMonth; x: number; ground: number; scale: number }) {
  const { month, x, ground, scale } = props
  const left = x + (slot - bar) / 2
  let [top, bottom] = [ground, ground]
  const rects = [...gains, ...losses].map((kind) => {
    const tall = Math.abs(month.movements[kind].arr) * scale
    const isGain = gains.some((gain) => gain === kind)
    if (isGain) top -= tall
    const y = isGain ? top : bottom
    if (!isGain) bottom += tall
    return { kind, y, tall }
  })
  const net = netOf(month)
  const each = movementKinds
    .filter((kind) => month.movements[kind].count !== 0)
    .map((kind) => `${kindTexts[kind]}: ${signed(month.movements[kind].arr)} (${month.movements[kind].count})`)
  return (
    <g>
      <title>{[monthName(month.month), ...each, `Net: ${signed(net)}`].join('\n')}</title>
      <rect x={x} y="0" width={slot} height={height} className="fill-transparent" />
      {rects.map(({ kind, y, tall }) => (
        <rect key={kind} x={left} y={y} width={bar} height={tall} className={fills[kind]} />
      ))}
      <text x={x + slot / 2} y={top - 6} textAnchor="middle" className="fill-ink text-[11px] tabular-nums">
        {net === 0 && month.movements.new.count === 0 ? '' : `${net > 0 ? '+' : ''}${Math.round(net / 1200)}`}
      </text>
      <text x={x + slot / 2} y={height - 6} textAnchor="middle" className="fill-muted text-[12px]">
        {short.format(new Date(`${month.month}-01T00:00:00Z`))}
      </text>
    </g>
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
