import { customers } from '#contract/desk/customers.ts'
import type { Invoice } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/use-data.ts'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { Time } from '#web/ui/time.tsx'
import { Failed } from '../lists/endless-table.tsx'
import { money } from '../parts/dollars.ts'

/** What they paid, from Stripe. */
export function Payments({ id }: { id: string }) {
  const { data, isError, refetch } = useData(customers.adminPayments, { id })
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Payments</h2>
      {isError && <Failed retry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="h-24" />}
      {data && (
        <>
          <p className="text-sm text-muted">
            <strong className="block text-xl font-semibold text-ink tabular-nums">{money(data.paid)}</strong>
            paid{data.refunded > 0 && `, after ${money(data.refunded)} refunded`}
          </p>
          {data.documents.length === 0 ? (
            <p className="text-sm text-muted">Invoices will stand here.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line text-sm">
              {data.documents.map((document) => (
                <Line key={document.id} {...document} />
              ))}
            </ul>
          )}
        </>
      )}
    </Card>
  )
}

function Line({ kind, number, createdAt, amount, status, invoiceUrl, pdfUrl }: Invoice) {
  const href = invoiceUrl ?? pdfUrl
  const name = number ?? (kind === 'invoice' ? 'Invoice' : 'Credit note')
  return (
    <li className="flex items-baseline justify-between gap-3 py-2">
      <span className="min-w-0">
        {href ? (
          <a
            href={href}
            target="_blank"
            rel="noreferrer"
            className="font-medium break-all underline-offset-4 hover:underline"
          >
            {name}
          </a>
        ) : (
          <span className="font-medium break-all">{name}</span>
        )}
        <span className="block text-xs text-muted">
          <Time value={createdAt} />, {kind === 'invoice' ? status : 'credit note'}
        </span>
      </span>
      <span className="tabular-nums">{kind === 'invoice' ? money(amount) : `−${money(amount)}`}</span>
    </li>
  )
}
