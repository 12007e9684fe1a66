import { type OverviewMonth, overview } from '#contract/overview.ts'
import { useData } from '#web/api/use-data.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Chart } from './chart.tsx'
import { money } from './dollars.ts'
import { Failed } from './endless-table.tsx'
import { ImprintWarning } from './imprint-warning.tsx'

const number = (value: number) => value.toLocaleString('en-US')
const capped = (value: number) => (value >= 10_000 ? '10,000+' : number(value))
const percent = (value: number | null) => (value === null ? '–' : `${value.toFixed(1)}%`)

const charts = [
  {
    title: 'Monthly recurring revenue',
    series: [{ name: 'Revenue', of: (m: OverviewMonth) => m.revenue, text: money }],
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
  const { data, isError, refetch } = useData(overview.adminShow, {})
  if (isError) return <Failed retry={() => void refetch()} />
  const now = data?.months.at(-1)
  if (!data || !now) return <Skeleton className="h-[34rem] rounded-lg" />
  const { failedPayments, openAccessRequests, overdueAccessRequests } = data
  return (
    <section aria-label="Overview" className="flex flex-col gap-6">
      <ImprintWarning />
      <div className="overflow-hidden rounded-lg border border-line shadow-card">
        <dl className="grid grid-cols-2 gap-px bg-line sm:grid-cols-3 lg:grid-cols-[1.7fr_repeat(6,1fr)]">
          <Figure
            title="Monthly recurring revenue"
            value={money(now.revenue)}
            className="col-span-2 sm:col-span-3 lg:col-span-1"
          />
          <Figure title="Active subscriptions" value={number(now.active)} />
          <Figure title="New this month" value={number(now.begun)} />
          <Figure title="Lost this month" value={number(now.lost)} />
          <Figure title="Churn" value={percent(now.churn)} />
          <Figure title="Failed payments" value={capped(failedPayments)} isBad={failedPayments > 0} />
          <Figure
            title="Open access requests"
            value={capped(openAccessRequests)}
            note={overdueAccessRequests > 0 ? `${capped(overdueAccessRequests)} overdue` : undefined}
            isBad={overdueAccessRequests > 0}
          />
        </dl>
      </div>
      <div className="grid gap-6 md:grid-cols-2 lg:grid-cols-3">
        {charts.map((chart) => (
          <Chart key={chart.title} months={data.months} {...chart} />
        ))}
      </div>
    </section>
  )
}

function Figure(props: {
  title: string
  value: string
  note?: string | undefined
  isBad?: boolean
  className?: string
}) {
  return (
    <div className={classes('flex flex-col justify-between gap-2 bg-surface p-4', props.className)}>
      <dt className="text-xs text-muted">{props.title}</dt>
      <dd>
        <span className={classes('text-xl font-semibold tabular-nums', props.isBad && 'text-danger')}>
          {props.value}
        </span>
        {props.note && <span className="block text-xs font-medium text-danger">{props.note}</span>}
      </dd>
    </div>
  )
}
