import { useQueryClient } from '@tanstack/react-query'
import { type Customer, customers } from '#contract/admin/customers.ts'
import { exactDollars } from '#contract/money.ts'
import type { Invoice } from '#contract/selling/purchases.ts'
import { call, keyOf, useData } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { useNewTab } from '#web/api/use-new-tab.ts'
import { Card, Pending } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Time } from '#web/ui/time.tsx'
import { isMissing, RecordNotFound } from '../parts/record.tsx'
import { useRecordTitle } from '../shell/place.ts'
import { Thread } from './correspondence.tsx'
import { CustomerCard } from './customer-card.tsx'
import { Notes } from './notes.tsx'
import { OpenMatters } from './open-matters.tsx'
import { PurchasesCard } from './purchases-card.tsx'
import { Timeline } from './timeline.tsx'

const columnClasses = 'max-xl:contents xl:flex xl:min-w-0 xl:flex-col xl:gap-6'

export default function CustomerScreen({ id }: { id: string }) {
  // Loaded at each visit, because Stripe and TradingView change much of this data. The key also matches the
  // queries of the page's parts, such as the timeline.
  useQueryClient().setQueryDefaults(keyOf(customers.adminShow), { refetchOnMount: 'always' })
  const query = useData(customers.adminShow, { id })
  const { data } = query
  useRecordTitle(data && (data.name || data.email))
  if (isMissing(query.error))
    return (
      <RecordNotFound
        title="No such customer"
        description="Perhaps the account was deleted."
        list="/admin/users"
        all="All users"
      />
    )
  if (!data) return <Pending query={query} />
  return (
    <div className="flex flex-col gap-6">
      <OpenMatters customer={data} />
      <CustomerCard customer={data} />
      <div className="flex flex-col gap-6 xl:grid xl:grid-cols-[1fr_22rem] xl:items-start">
        <div className={columnClasses}>
          <PurchasesCard customer={data} />
          <Timeline id={id} />
        </div>
        <div className={columnClasses}>
          <Notes customer={data} />
          <Thread id={id} />
          <PaymentCard id={id} />
          <NewsletterCard customer={data} />
        </div>
      </div>
    </div>
  )
}

function PaymentCard({ id }: { id: string }) {
  const query = useData(customers.adminPayments, { id })
  const { data } = query
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Payments</h2>
      {!data && <Pending query={query} className="h-24" />}
      {data && (
        <>
          <p className="text-sm text-muted">
            <strong className="block text-xl font-semibold text-ink tabular-nums">{exactDollars(data.paid)}</strong>
            paid{data.refunded > 0 && `, after ${exactDollars(data.refunded)} refunded`}
          </p>
          {data.documents.length === 0 ? (
            <p className="text-sm text-muted">No invoices yet.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line text-sm">
              {data.documents.map((document) => (
                <DocumentItem key={document.id} customerId={id} document={document} />
              ))}
            </ul>
          )}
        </>
      )}
    </Card>
  )
}

const suppressionTexts = {
  objected: 'They unsubscribed',
  refused: 'Their mail server refused the address',
  by_seller: 'You switched it off',
}

function NewsletterCard({ customer: { id, suppressed } }: { customer: Customer }) {
  const setSuppressed = useCall(customers.adminSuppress, {
    succeeded: suppressed ? 'Newsletters may go out again' : 'No more newsletters',
    failed: 'Failed to change it',
  })
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-lg">Newsletters</h2>
      <Checkbox
        label="Do not email"
        checked={suppressed !== null}
        disabled={setSuppressed.isPending}
        onTick={(isOn) => setSuppressed.mutate({ id, isSuppressed: isOn })}
      />
      <p className="text-sm text-muted">
        {suppressed ? (
          <>
            {suppressionTexts[suppressed.because]} on <Time value={suppressed.at} />. Receipts still go out.
          </>
        ) : (
          'News goes out only if they subscribed, or the checkout told them about it. Receipts always go out.'
        )}
      </p>
    </Card>
  )
}

function DocumentItem({ customerId, document }: { customerId: string; document: Invoice }) {
  const { id, kind, number, createdAt, amount, status, hasDocument } = document
  const isCredit = kind === 'credit_note'
  const name = number ?? (isCredit ? 'Credit note' : 'Invoice')
  const openDocument = useNewTab(
    async () => {
      const { viewUrl, pdfUrl } = await call(customers.adminDocument, { id: customerId, document: id })
      const url = viewUrl ?? pdfUrl
      if (!url) throw new Error('Stripe doesn’t show this document.')
      return url
    },
    (error) => toastError('Failed to open the document', error),
  )
  return (
    <li className="flex items-baseline justify-between gap-3 py-2">
      <span className="min-w-0">
        {hasDocument ? (
          <button
            type="button"
            className="text-left font-medium break-all underline-offset-4 hover:underline"
            onClick={() => openDocument.mutate(undefined)}
          >
            {name}
          </button>
        ) : (
          <span className="font-medium break-all">{name}</span>
        )}
        <span className="block text-xs text-muted">
          <Time value={createdAt} />, {isCredit ? 'credit note' : status}
        </span>
      </span>
      <span className="tabular-nums">
        {isCredit && '−'}
        {exactDollars(amount)}
      </span>
    </li>
  )
}
