import { useState } from 'react'
import { type AdminPayment, figures } from '#contract/admin/figures.ts'
import { exactDollars, formatMoney } from '#contract/money.ts'
import type { PaymentKind } from '#contract/statuses.ts'
import { useCan } from '#web/api/session.ts'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { ExportButton, ExportProgress, useExport } from '../exports/exports.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { moneyCell } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { monthName } from '../overview/words.ts'

const kindTexts: Record<PaymentKind, string> = { payment: 'Payment', refund: 'Refund', dispute: 'Lost dispute' }
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const longDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const countryName = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

function periodsUntil(now: Date) {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const months = Array.from({ length: 12 }, (_, ago) => new Date(Date.UTC(year, month - ago)).toISOString().slice(0, 7))
  return [
    ...[year, year - 1, year - 2].map((each) => [String(each), String(each)] as const),
    ...months.map((each) => [each, monthName(each)] as const),
  ]
}

export default function Payments() {
  const [{ period }] = useFilters({ period: 'text' })
  const [periods] = useState(() => periodsUntil(new Date()))
  const { progress, run, cancel } = useExport()
  const isOther = period && periods.every(([name]) => name !== period)
  return (
    <>
      {progress && <ExportProgress {...progress} onCancel={cancel} />}
      <RecordList
        label="Payments"
        noun={['payment', 'payments']}
        hasTwoLines
        columns={['Person', 'What', { title: 'Amount' }, { title: 'Net' }, 'Paid out', 'Invoice', 'Date']}
        list={figures.adminPayments}
        search="Search by email, name or invoice..."
        filters={{
          kind: { label: 'Kind', all: 'All kinds', options: Object.entries(kindTexts) },
          period: { label: 'Period', all: 'All time', options: isOther ? [[period, period], ...periods] : periods },
        }}
        controls={
          <ExportButton
            kind="payments"
            running={progress?.kind}
            run={() => run('payments', { period })}
            className="max-sm:w-full sm:ml-auto"
          />
        }
        none={{ title: 'No payments yet', description: 'Payments and refunds appear here.' }}
        renderRow={(payment) => <Row {...payment} />}
      />
    </>
  )
}

function Row(payment: AdminPayment) {
  const mayAnswer = useCan()('money.refund')
  const {
    user,
    kind,
    amount,
    tax,
    settled,
    paidOutAt,
    status,
    invoice,
    periodStart,
    periodEnd,
    country,
    at,
    disputeId,
  } = payment
  return (
    <>
      <CustomerCell user={user} />
      <Cell label="What">
        <Badge tone={kind === 'payment' ? 'good' : kind === 'refund' ? 'warning' : 'bad'}>{kindTexts[kind]}</Badge>
        {status && status !== 'succeeded' && <span className="block pt-1 text-xs text-muted">{status}</span>}
        {disputeId && mayAnswer && (
          <Link href={`/admin/purchases/disputes/${disputeId}`} className="block pt-1 text-xs text-danger underline">
            Dispute
          </Link>
        )}
      </Cell>
      <Cell label="Amount" className={moneyCell}>
        {kind === 'payment' ? '' : '−'}
        {exactDollars(amount)}
        {tax ? <span className="block text-xs text-muted">with {exactDollars(tax)} tax</span> : null}
      </Cell>
      <Cell label="Net" className={classes(moneyCell, '@max-[36rem]:hidden')}>
        {settled ? formatMoney(settled.currency, settled.net) : '–'}
        {settled?.fee ? (
          <span className="block text-xs text-muted">after {formatMoney(settled.currency, settled.fee)} fee</span>
        ) : null}
      </Cell>
      <Cell label="Paid out" className="whitespace-nowrap text-muted @max-[36rem]:hidden">
        {paidOutAt ? <Time value={paidOutAt} /> : '–'}
      </Cell>
      <Cell label="Invoice" className="max-w-52 truncate whitespace-nowrap" title={invoice.number ?? invoice.id}>
        {invoice.number ?? invoice.id}
        {country && <span className="block text-xs text-muted @max-[36rem]:hidden">{countryName.of(country)}</span>}
      </Cell>
      <Cell label="Date" className="whitespace-nowrap">
        <Time value={at} />
        {periodStart && periodEnd && (
          <time
            dateTime={periodStart}
            className="block text-xs text-muted @max-[36rem]:hidden"
            title={`${longDay.format(new Date(periodStart))} – ${longDay.format(new Date(periodEnd))}`}
          >
            {day.format(new Date(periodStart))} – {day.format(new Date(periodEnd))}
          </time>
        )}
      </Cell>
    </>
  )
}
