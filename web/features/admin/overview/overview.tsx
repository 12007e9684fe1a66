import { useState } from 'react'
import { countDefinitions, figureDefinitions } from '#contract/admin/figure-definitions.ts'
import { overview } from '#contract/admin/overview.ts'
import { exactDollars } from '#contract/money.ts'
import { type PurchaseRisk, purchaseRisks } from '#contract/statuses.ts'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { Time } from '#web/ui/time.tsx'
import { Inbox } from '../inbox/inbox.tsx'
import { formatCapped } from '../inbox/use-needs.ts'
import { formatNumber } from '../parts/count.ts'
import { MovementsChart, netOf } from './chart.tsx'
import { Checklist } from './checklist.tsx'
import { Figure, FigureRow } from './figure.tsx'
import { Today } from './today.tsx'
import { daysIn, formatPerMonth, formatSameDay, formatSignedPerMonth } from './words.ts'

const formatPercent = (value: number | null) => (value === null ? '–' : `${value.toFixed(1)}%`)

export default function Overview() {
  return (
    <section aria-label="Overview" className="flex flex-col gap-8">
      <Checklist />
      <Inbox />
      <Today />
      <KeyFigures />
    </section>
  )
}

function KeyFigures() {
  const query = useData(overview.adminShow, {})
  const { data } = query
  const [today] = useState(() => new Date())
  const thisMonth = data?.months.at(-1)
  if (!data || !thisMonth) return <Pending query={query} className="h-[34rem] rounded-lg" />
  const { lastMonthSoFar: lastMonth } = data
  const daysSoFar = `${today.getUTCDate()} of ${daysIn(thisMonth.month)} days`
  const sameDayLastMonth = formatSameDay(lastMonth.month, today)
  const comparedPeriod = `up to ${sameDayLastMonth}`
  const lastChurn = lastMonth.churn === null ? '' : `; ${formatPercent(lastMonth.churn)} ${comparedPeriod}`
  const formatSignedCount = (change: number) => `${change > 0 ? '+' : ''}${formatNumber(change)}`
  return (
    <div className="flex flex-col gap-6">
      <FigureRow>
        <Figure
          {...figureDefinitions.mrr}
          value={formatPerMonth(thisMonth.arr)}
          note={`${formatSignedPerMonth(thisMonth.arr - lastMonth.arr)} since ${sameDayLastMonth}`}
          href="/admin/purchases?status=paying"
        />
        <Figure
          {...figureDefinitions.net}
          title="Net new this month"
          value={formatSignedPerMonth(netOf(thisMonth))}
          note={`${daysSoFar}; ${formatSignedPerMonth(netOf(lastMonth))} ${comparedPeriod}`}
          href={`/admin/overview/figures?month=${thisMonth.month}`}
        />
        <Figure
          {...figureDefinitions.paying}
          value={formatNumber(thisMonth.paying)}
          note={`${formatSignedCount(thisMonth.paying - lastMonth.paying)} since ${sameDayLastMonth}`}
          href="/admin/purchases?status=paying"
        />
        <Figure
          {...figureDefinitions.churn}
          title="Churn this month"
          value={formatPercent(thisMonth.churn)}
          note={`${formatNumber(thisMonth.stopped)} of ${formatNumber(thisMonth.paidWhenItBegan)} who paid on the 1st${lastChurn}`}
          href={`/admin/overview/figures?kind=churn&month=${thisMonth.month}`}
        />
      </FigureRow>
      <AtRisk atRisk={data.atRisk} />
      <MovementsChart months={data.months} daysSoFar={daysSoFar} />
    </div>
  )
}

type Risks = Record<PurchaseRisk, { count: number; amount: number; dueAt: string | null }>

const dueTexts: Record<PurchaseRisk, string> = {
  failed_payments: 'The first ends on',
  expiring_cards: 'The first expires on',
  disputed: 'Answer the first by',
}

function AtRisk({ atRisk }: { atRisk: Risks }) {
  return (
    <section aria-labelledby="at-risk" className="flex flex-col gap-3">
      <h2 id="at-risk" className="text-lg">
        Money at risk
      </h2>
      <dl className="grid gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card md:grid-cols-3">
        {purchaseRisks.map((risk) => {
          const { count, amount, dueAt } = atRisk[risk]
          const href = `/admin/purchases?need=${risk}` as const
          const note = dueAt && <Time before={dueTexts[risk]} value={dueAt} />
          const value = count === 0 ? 'None' : `${exactDollars(amount)} · ${formatCapped(count)}`
          return (
            <Figure key={risk} {...countDefinitions[risk]} value={value} note={note} href={href} isBad={count > 0} />
          )
        })}
      </dl>
    </section>
  )
}
