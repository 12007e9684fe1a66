import { sortings } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type ManagedPurchase, purchaseFilters, purchases } from '#contract/selling/purchases.ts'
import {
  billingTypes,
  bookingKindTexts,
  type PurchaseNeed,
  type PurchaseRisk,
  purchaseNeeds,
  purchaseRisks,
  purchaseStatuses,
  statusTexts,
} from '#contract/statuses.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { AddButton, Filter, RecordList, SortFilter } from '../lists/record-list.tsx'
import { action } from '../lists/record-table.tsx'
import { type Chosen, useFilters } from '../lists/use-filters.ts'
import { usePages } from '../lists/use-pages.ts'
import { type RowAction, RowMenu } from '../parts/row-menu.tsx'
import { AddPurchaseDialog } from './add-purchase-dialog.tsx'
import { StatusBadge } from './status-badge.tsx'
import { usePurchaseActions } from './use-purchase-actions.tsx'

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
  const isAdmin = useIsAdmin()
  const query = usePages(purchases.adminList, chosen)
  const { actionsFor, dialogs } = usePurchaseActions()
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
        renderRow={(purchase) => <Row purchase={purchase} actions={actionsFor(purchase)} />}
      />
      {dialogs}
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

function Row({ purchase, actions }: { purchase: ManagedPurchase; actions: (RowAction | false)[] }) {
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
        <RowMenu of={user.email} actions={actions} />
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
