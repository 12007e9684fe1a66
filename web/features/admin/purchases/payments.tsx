import { useState } from 'react'
import { type AdminPayment, figures } from '#contract/admin/figures.ts'
import { countryNames } from '#contract/country-names.ts'
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
import { formatMonth } from '../overview/words.ts'

const kindTexts: Record<PaymentKind, string> = { payment: 'Payment', refund: 'Refund', dispute: 'Lost dispute' }
const kindTones = { payment: 'good', refund: 'warning', dispute: 'bad' } as const
const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const longDayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

function periodsUntil(now: Date) {
  const year = now.getUTCFullYear()
  const month = now.getUTCMonth()
  const months = Array.from({ length: 12 }, (_, monthsAgo) =>
    new Date(Date.UTC(year, month - monthsAgo)).toISOString().slice(0, 7),
  )
  return [
    ...[year, year - 1, year - 2].map((listedYear) => [String(listedYear), String(listedYear)] as const),
    ...months.map((listedMonth) => [listedMonth, formatMonth(listedMonth)] as const),
  ]
}

export default function Payments() {
  const [{ period }] = useFilters({ period: 'text' })
  const [periods] = useState(() => periodsUntil(new Date()))
  const { running, run, cancel } = useExport()
  // A link may lead to a period that the filter doesn't list.
  const isUnlisted = period && periods.every(([name]) => name !== period)
  return (
    <>
      {running && <ExportProgress kind={running} onCancel={cancel} />}
      <RecordList
        label="Payments"
        noun={['payment', 'payments']}
        hasTwoLines
        columns={['Person', 'What', { title: 'Amount' }, { title: 'Net' }, 'Paid out', 'Invoice', 'Date']}
        list={figures.adminPayments}
        search="Search by email, name or invoice..."
        filters={{
          kind: { label: 'Kind', all: 'All kinds', options: Object.entries(kindTexts) },
          period: { label: 'Period', all: 'All time', options: isUnlisted ? [[period, period], ...periods] : periods },
        }}
        controls={
          <ExportButton
            kind="payments"
            running={running}
            run={() => run('payments', { period })}
            className="max-sm:w-full sm:ml-auto"
          />
        }
        none={{ title: 'No payments yet', description: 'Payments and refunds appear here.' }}
        renderRow={(payment) => <PaymentCells {...payment} />}
      />
    </>
  )
}

function PaymentCells(payment: AdminPayment) {
  const canAnswer = useCan()('money.refund')
  const { kind, tax, settled, paidOutAt, status, invoice, periodStart, periodEnd, country, disputeId } = payment
  return (
    <>
      <CustomerCell user={payment.user} />
      <Cell label="What">
        <Badge tone={kindTones[kind]}>{kindTexts[kind]}</Badge>
        {status && status !== 'succeeded' && <span className="block pt-1 text-xs text-muted">{status}</span>}
        {disputeId && canAnswer && (
          <Link href={`/admin/purchases/disputes/${disputeId}`} className="block pt-1 text-xs text-danger underline">
            Dispute
          </Link>
        )}
      </Cell>
      <Cell label="Amount" className={moneyCell}>
        {kind === 'payment' ? '' : '−'}
        {exactDollars(payment.amount)}
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
        {country && <span className="block text-xs text-muted @max-[36rem]:hidden">{countryNames.of(country)}</span>}
      </Cell>
      <Cell label="Date" className="whitespace-nowrap">
        <Time value={payment.at} />
        {periodStart && periodEnd && (
          <time
            dateTime={periodStart}
            className="block text-xs text-muted @max-[36rem]:hidden"
            title={`${longDayFormat.format(new Date(periodStart))} – ${longDayFormat.format(new Date(periodEnd))}`}
          >
            {dayFormat.format(new Date(periodStart))} – {dayFormat.format(new Date(periodEnd))}
          </time>
        )}
      </Cell>
    </>
  )
}
