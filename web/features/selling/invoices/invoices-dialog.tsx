import { Download, FileText } from 'lucide-react'
import { useState } from 'react'
import { exactDollars } from '#contract/money.ts'
import { type Invoice, type Purchase, purchases } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Pending } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import BillingDialog from './billing-dialog.tsx'
import { useOpenDocument } from './invoices.ts'

const toneOfStatus = new Map<string, 'good' | 'warning' | 'bad'>([
  ['paid', 'good'],
  ['open', 'warning'],
  ['uncollectible', 'bad'],
])

export default function InvoicesDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [isEditingDetails, setIsEditingDetails] = useState(false)
  return (
    <Dialog title="Invoices" onClose={onClose} className="max-w-xl">
      <Invoices purchaseId={purchase.id} />
      <Button variant="secondary" size="sm" className="self-start" onClick={() => setIsEditingDetails(true)}>
        Billing details
      </Button>
      {isEditingDetails && <BillingDialog onClose={() => setIsEditingDetails(false)} />}
    </Dialog>
  )
}

function Invoices({ purchaseId }: { purchaseId: string }) {
  const query = useData(purchases.invoices, { id: purchaseId })
  const { data } = query
  if (!data) return <Pending query={query} what="your invoices" className="h-28" />
  if (data.length === 0)
    return <EmptyState title="No invoices yet" icon={<FileText className="size-8" strokeWidth={1.5} />} />
  return (
    <ul className="-mx-2 max-h-[60vh] divide-y divide-line overflow-y-auto">
      {data.map((invoice) => (
        <InvoiceRow key={invoice.id} {...invoice} />
      ))}
    </ul>
  )
}

const linkClasses =
  'inline-flex items-center gap-1.5 rounded-sm text-sm font-medium text-ink underline decoration-field underline-offset-4 hover:decoration-ink'

function InvoiceRow({ id, kind, number, createdAt, amount, status, hasDocument }: Invoice) {
  const openDocument = useOpenDocument()
  const isCredit = kind === 'credit_note'
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-2 py-3">
      <div className="flex flex-col">
        <span className="font-medium">
          <Time value={createdAt} />
        </span>
        {number && <span className="font-mono text-xs text-muted">{number}</span>}
      </div>
      <div className="flex items-center gap-3">
        <span className="tabular-nums">
          {isCredit && '−'}
          {exactDollars(amount)}
        </span>
        <Badge tone={toneOfStatus.get(status) ?? 'neutral'}>{isCredit ? 'credit note' : status}</Badge>
      </div>
      <div className="flex min-w-24 gap-4 sm:justify-end">
        {hasDocument && !isCredit && (
          <button
            type="button"
            className={linkClasses}
            onClick={() => openDocument.mutate({ document: id, as: 'page' })}
          >
            Open
          </button>
        )}
        {hasDocument && (
          <button
            type="button"
            className={linkClasses}
            onClick={() => openDocument.mutate({ document: id, as: 'file' })}
          >
            <Download className="size-4" />
            PDF
          </button>
        )}
      </div>
    </li>
  )
}
