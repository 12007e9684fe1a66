import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { sortings } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type ManagedPurchase, purchaseFilters, purchases } from '#contract/selling/purchases.ts'
import {
  billingTypes,
  bookingKindTexts,
  hasEnded,
  type PurchaseNeed,
  type PurchaseRisk,
  purchaseNeeds,
  purchaseRisks,
  purchaseStatuses,
  statusTexts,
} from '#contract/statuses.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { AddButton, Filter, RecordList, SortFilter } from '../lists/record-list.tsx'
import { action } from '../lists/record-table.tsx'
import { type Chosen, useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { AddPurchaseDialog } from './add-purchase-dialog.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { changesPurchase, isRefundable } from './purchase-actions.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { StatusBadge } from './status-badge.tsx'

const choices = {
  q: 'text',
  status: purchaseFilters,
  billingType: billingTypes,
  need: [...purchaseNeeds, ...purchaseRisks],
  begun: 'text',
  ended: 'text',
  sort: sortings,
} as const
type Choice = Chosen<typeof choices>

const columns = ['User', 'Product', 'Billing', 'Amount', 'Status', 'Date', action]

export default function Purchases() {
  const [chosen, choose] = useFilters(choices)
  const [refunding, setRefunding] = useState<ManagedPurchase | null>(null)
  const [cancelling, setCancelling] = useState<ManagedPurchase | null>(null)
  const isAdmin = useIsAdmin()
  const query = usePages(purchases.adminList, chosen)
  const remove = useCall(purchases.adminDelete, {
    ...changesPurchase,
    succeeded: 'Purchase deleted successfully',
    failed: 'Failed to delete purchase',
  })

  const settle = useCall(purchases.adminSettleWarning, {
    ...changesPurchase,
    succeeded: 'Fraud warning settled',
    failed: 'Failed to settle the fraud warning',
  })

  const settleRefunds = useCall(purchases.adminSettleRefunds, {
    ...changesPurchase,
    succeeded: 'Noted as paid back',
    failed: 'Failed to note the payment',
  })

  async function askAndSettle({ id, user, failedRefunds: amount }: ManagedPurchase) {
    const yes = await confirm({
      title: 'Paid back another way',
      description: `Have you sent ${exactDollars(amount)} to ${user.email} another way, for example by bank transfer? The shop sends no money.`,
      action: 'Yes, it is paid back',
    })
    if (yes) settleRefunds.mutate({ id, amount })
  }

  async function askAndRemove({ id, user, status }: ManagedPurchase) {
    const yes = await confirm({
      title: 'Delete purchase',
      description: `Permanently delete purchase for ${user.email}? This action cannot be undone.`,
      effect: `${hasEnded(status) ? '' : 'The subscription ends today, and nothing is refunded. '}The sale leaves the lists and the exports; past figures stay. To keep it there, cancel it instead.`,
      action: 'Delete purchase',
      destructive: true,
    })
    if (yes) remove.mutate({ id })
  }

  return (
    <>
      <RecordList
        label="Purchases"
        noun={['purchase', 'purchases']}
        columns={columns}
        query={query}
        chosen={chosen}
        search="Search by email or name..."
        controls={
          <>
            <Filters chosen={chosen} choose={choose} />
            {isAdmin && <AddButton text="Add Purchase" dialog={AddPurchaseDialog} />}
          </>
        }
        chips={[
          chosen.need && { text: needTexts[chosen.need], remove: () => choose({ need: undefined }) },
          chosen.begun && {
            text: `Begun in ${monthName(chosen.begun)}`,
            remove: () => choose({ begun: undefined }),
          },
          chosen.ended && {
            text: `Ended in ${monthName(chosen.ended)}`,
            remove: () => choose({ ended: undefined }),
          },
        ]}
        none={{ title: 'No purchases found', description: 'New purchases appear here.' }}
        renderRow={(purchase) => (
          <Row
            purchase={purchase}
            mayChange={isAdmin}
            onCancel={() => setCancelling(purchase)}
            onRefund={() => setRefunding(purchase)}
            onRemove={() => void askAndRemove(purchase)}
            onSettle={() => void askAndSettle(purchase)}
            onDecide={(decision) => settle.mutate({ id: purchase.id, decision })}
          />
        )}
      />
      {cancelling && <CancelDialog purchase={cancelling} onClose={() => setCancelling(null)} />}
      {refunding && <RefundDialog purchase={refunding} onClose={() => setRefunding(null)} />}
    </>
  )
}

const needTexts: Record<PurchaseNeed | PurchaseRisk, string> = {
  fraud_warnings: 'Fraud warning',
  disputes: 'Disputed',
  failed_refunds: 'Refund sent back',
  uncovered_notes: 'Credit note without refund',
  failed_payments: 'Failed payment',
  stuck_renewals: 'Renewal not charged',
  untaxed: 'Without tax',
  expiring_cards: 'Card expires within 30 days',
}

const statusOptions = [
  ['live', 'with access'],
  ['paying', 'paying'],
  ...purchaseStatuses.map((status) => [status, statusTexts[status]] as const),
] as const

function Filters({ chosen, choose }: { chosen: Choice; choose: (change: Choice) => void }) {
  return (
    <>
      <Filter
        label="Status"
        all="All statuses"
        options={statusOptions}
        value={chosen.status}
        onChange={(status) => choose({ status })}
      />
      <Filter
        label="Billing"
        all="All billing"
        options={billingTypes.map((billing) => [billing, billing])}
        value={chosen.billingType}
        onChange={(billingType) => choose({ billingType })}
      />
      <SortFilter label="Sort purchases" value={chosen.sort} onChange={(sort) => choose({ sort })} />
    </>
  )
}

function Row(props: {
  purchase: ManagedPurchase
  mayChange: boolean
  onCancel: () => void
  onRefund: () => void
  onRemove: () => void
  onSettle: () => void
  onDecide: (decision: 'refund' | 'dismiss') => void
}) {
  const { purchase, mayChange, onCancel, onRefund, onRemove, onSettle, onDecide } = props
  const { user, product, billingType, amount, refundedAmount, status, createdAt, endsAt, kind, reason } =
    purchase
  return (
    <>
      <CustomerCell user={{ id: purchase.userId, ...user }} />
      <Cell label="Product">{product.name}</Cell>
      <Cell label="Billing" className="max-w-48">
        {billingType}
        {kind && <span className="block text-xs text-muted">{bookingKindTexts[kind]}</span>}
        {reason && (
          <span className="block truncate text-xs text-muted" title={reason}>
            “{reason}”
          </span>
        )}
      </Cell>
      <Cell label="Amount" className="whitespace-nowrap tabular-nums">
        {exactDollars(amount)}
        {refundedAmount > 0 && (
          <span className="block text-xs text-muted">{exactDollars(refundedAmount)} refunded</span>
        )}
        {purchase.failedRefunds > 0 && (
          <span className="block text-xs text-danger">
            {exactDollars(purchase.failedRefunds)} sent back by the bank
          </span>
        )}
      </Cell>
      <Cell label="Status">
        <StatusBadge status={status} />
        {purchase.isWarned && <span className="block text-xs text-danger">The bank suspects fraud</span>}
      </Cell>
      <Cell label="Date" className="whitespace-nowrap">
        <Time value={createdAt} />
        {endsAt && (
          <span className="block text-xs text-muted">
            ends <Time value={endsAt} />
          </span>
        )}
      </Cell>
      <Cell className="py-1.5">
        <div className="flex items-center justify-end gap-1">
          {mayChange && purchase.isWarned && (
            <>
              <Button variant="secondary" size="sm" onClick={() => onDecide('refund')}>
                Refund and end<span className="sr-only"> purchase for {user.email}</span>
              </Button>
              <Button variant="ghost" size="sm" onClick={() => onDecide('dismiss')}>
                Keep<span className="sr-only"> purchase for {user.email}</span>
              </Button>
            </>
          )}
          {mayChange && purchase.failedRefunds > 0 && (
            <Button variant="secondary" size="sm" onClick={onSettle}>
              Paid another way<span className="sr-only">: refund for {user.email}</span>
            </Button>
          )}
          {mayChange && isRefundable(purchase) && !purchase.isWarned && (
            <Button variant="ghost" size="sm" onClick={onRefund}>
              Refund<span className="sr-only"> purchase for {user.email}</span>
            </Button>
          )}
          {status === 'active' && (
            <Button variant="ghost" size="sm" onClick={onCancel}>
              Cancel<span className="sr-only"> purchase for {user.email}</span>
            </Button>
          )}
          {mayChange && (
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Delete purchase for ${user.email}`}
              onClick={onRemove}
              className="text-muted hover:bg-danger-soft hover:text-danger"
            >
              <Trash2 className="size-4.5" aria-hidden="true" />
            </Button>
          )}
        </div>
      </Cell>
    </>
  )
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** 2026-03 is March 2026; anything else is shown as it is. */
function monthName(typed: string) {
  const date = new Date(`${typed}-01T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? typed : month.format(date)
}
