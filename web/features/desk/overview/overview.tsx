import { useState } from 'react'
import { type OverviewMonth, overview } from '#contract/desk/overview.ts'
import { exactDollars } from '#contract/money.ts'
import { useData } from '#web/api/use-data.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Failed } from '../lists/record-table.tsx'
import { Chart } from './chart.tsx'
import { counted, ImprintWarning, Needs } from './needs.tsx'

const number = (value: number) => value.toLocaleString('en-US')
const percent = (value: number | null) => (value === null ? '–' : `${value.toFixed(1)}%`)

const charts = [
  {
    title: 'Monthly recurring revenue',
    series: [{ name: 'Revenue', of: (m: OverviewMonth) => m.revenue, text: exactDollars }],
  },
  {
    title: 'Active subscriptions',
    series: [{ name: 'Active', of: (m: OverviewMonth) => m.active, text: number }],
  },
  {
    title: 'New and lost',
    series: [
      { name: 'New', of: (m: OverviewMonth) => m.begun, text: number },
      { name: 'Lost', of: (m: OverviewMonth) => m.lost, text: number, isLoss: true },
    ],
  },
]

export default function Overview() {
  return (
    <section aria-label="Overview" className="flex flex-col gap-8">
      <ImprintWarning />
      <Needs />
      <Figures />
    </section>
  )
}

/** How much of the running month its figures cover, in the books' time zone. */
function daysSoFar(month: string, now: Date) {
  const [year = 0, place = 1] = month.split('-').map(Number)
  return `${now.getUTCDate()} of ${new Date(Date.UTC(year, place, 0)).getUTCDate()} days`
}

function Figures() {
  const { data, isError, refetch } = useData(overview.adminShow, {})
  const [today] = useState(() => new Date())
  if (isError) return <Failed retry={() => void refetch()} />
  const now = data?.months.at(-1)
  if (!data || !now) return <Skeleton className="h-[34rem] rounded-lg" />
  const { failedPayments, openAccessRequests, overdueAccessRequests } = data
  const soFar = daysSoFar(now.month, today)
  return (
    <div className="flex flex-col gap-6">
      <div className="overflow-hidden rounded-lg border border-line shadow-card">
        <dl className="grid grid-cols-2 gap-px bg-line sm:grid-cols-3 xl:grid-cols-[1.7fr_repeat(6,1fr)]">
          <Figure
            title="Monthly recurring revenue"
            value={exactDollars(now.revenue)}
            href="/admin/purchases?status=live"
            className="col-span-2 sm:col-span-3 xl:col-span-1"
          />
          <Figure
            title="Active subscriptions"
            value={number(now.active)}
            href="/admin/purchases?status=live"
          />
          <Figure
            title="New this month"
            value={number(now.begun)}
            note={soFar}
            href={`/admin/purchases?begun=${now.month}`}
          />
          <Figure
            title="Lost this month"
            value={number(now.lost)}
            note={soFar}
            href={`/admin/purchases?ended=${now.month}`}
          />
          <Figure
            title="Churn"
            value={percent(now.churn)}
            note={soFar}
            href={`/admin/purchases?ended=${now.month}`}
          />
          <Figure
            title="Failed payments"
            value={counted(failedPayments)}
            isBad={failedPayments > 0}
            href="/admin/purchases?status=past_due"
          />
          <Figure
            title="Open access requests"
            value={counted(openAccessRequests)}
            note={overdueAccessRequests > 0 ? `${counted(overdueAccessRequests)} overdue` : undefined}
            isBad={overdueAccessRequests > 0}
            href="/admin/access"
          />
        </dl>
      </div>
      <div className="grid gap-6 md:grid-cols-2 xl:grid-cols-3">
        {charts.map((chart) => (
          <Chart key={chart.title} months={data.months} soFar={soFar} {...chart} />
        ))}
      </div>
    </div>
  )
}

function Figure(props: {
  title: string
  value: string
  /** The list behind the figure. */
  href: Href
  note?: string | undefined
  isBad?: boolean
  className?: string
}) {
  const { title, value, href, note, isBad, className } = props
  return (
    <div
      className={classes(
        'relative flex flex-col justify-between gap-2 bg-surface p-4 focus-within:outline-2 focus-within:-outline-offset-2 focus-within:outline-accent hover:bg-accent-soft/40',
        className,
      )}
    >
      <dt className="text-xs text-muted">{title}</dt>
      <dd>
        <Link
          href={href}
          aria-label={`${title}: ${value}`}
          className={classes(
            'text-xl font-semibold tabular-nums outline-none after:absolute after:inset-0',
            isBad && 'text-danger',
          )}
        >
          {value}
        </Link>
        {note && (
          <span className={classes('block text-xs', isBad ? 'text-danger' : 'text-muted')}>{note}</span>
        )}
      </dd>
    </div>
  )
}
