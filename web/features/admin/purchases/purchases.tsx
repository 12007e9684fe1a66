import { exactDollars } from '#contract/money.ts'
import { type ManagedPurchase, purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { bookingKindTexts, type PurchaseNeed, type PurchaseRisk, statusTexts, statusTones } from '#contract/statuses.ts'
import { useCan } from '#web/api/session.ts'
import { useSoldPlans } from '#web/api/settings.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { AddButton, RecordList, sorting } from '../lists/record-list.tsx'
import { actionColumn, moneyCell } from '../lists/record-table.tsx'
import { type RowAction, RowMenu } from '../parts/row-menu.tsx'
import { AddPurchaseDialog } from './add-purchase-dialog.tsx'
import { DisputeNote } from './dispute-note.tsx'
import { FormerAccount } from './former-account.tsx'
import { usePurchaseActions } from './use-purchase-actions.tsx'

export default function Purchases() {
  const can = useCan()
  const actionsFor = usePurchaseActions()
  return (
    <RecordList
      label="Purchases"
      noun={['purchase', 'purchases']}
      hasTwoLines
      columns={['User', 'Product', 'Billing', { title: 'Amount' }, 'Status', 'Date', actionColumn]}
      list={purchasesAdmin.list}
      search="Search by email or name..."
      filters={{
        status: { label: 'Status', all: 'All statuses', options: statusOptions },
        billingType: { label: 'Billing', all: 'All billing', options: useSoldPlans().map(({ key }) => [key, key]) },
        sort: sorting('Sort purchases'),
      }}
      chips={{ need: needTexts }}
      controls={can('purchases.manage') && <AddButton text="Add Purchase" dialog={AddPurchaseDialog} />}
      none={{ title: 'No purchases found', description: 'New purchases appear here.' }}
      renderRow={(purchase) => <PurchaseCells purchase={purchase} actions={actionsFor(purchase)} />}
    />
  )
}

const needTexts: Record<PurchaseNeed | PurchaseRisk, string> = {
  fraud_warnings: 'Fraud warning',
  disputes: 'Dispute to answer',
  disputed: 'Disputed',
  lost_disputes: 'Lost dispute, still subscribed',
  failed_refunds: 'Refund not received',
  uncovered_notes: 'Credit note without refund',
  failed_payments: 'Failed payment',
  stuck_renewals: 'Renewal not charged',
  untaxed: 'Without tax',
  missing_at_stripe: 'Unknown to Stripe',
  expiring_cards: 'Card expires within 30 days',
}

const statusOptions = Object.entries({ live: 'with access', paying: 'paying', ...statusTexts })

function PurchaseCells({ purchase, actions }: { purchase: ManagedPurchase; actions: (RowAction | false)[] }) {
  const { user, product, billingType, amount, refundedAmount, status, createdAt, endsAt, kind, reason } = purchase
  return (
    <>
      <CustomerCell user={{ id: purchase.userId, ...user }} />
      <Cell label="Product" className="whitespace-nowrap @max-[36rem]:hidden">
        {product.name}
      </Cell>
      <Cell label="Billing" className="max-w-48">
        {billingType}
        {kind && <span className="block text-xs text-muted">{bookingKindTexts[kind]}</span>}
        {reason && (
          <span className="block truncate text-xs text-muted" title={reason}>
            “{reason}”
          </span>
        )}
      </Cell>
      <Cell label="Amount" className={moneyCell}>
        {exactDollars(amount)}
        {refundedAmount > 0 && (
          <span className="block text-xs text-muted">{exactDollars(refundedAmount)} refunded</span>
        )}
        {purchase.failedRefunds > 0 && (
          <span className="block text-xs text-danger">{exactDollars(purchase.failedRefunds)} still to be refunded</span>
        )}
      </Cell>
      <Cell label="Status">
        <Badge tone={statusTones[status]}>{statusTexts[status]}</Badge>
        <FormerAccount purchase={purchase} className="block text-xs text-muted" />
        {purchase.isWarned && <span className="block text-xs text-danger">The bank suspects fraud</span>}
        <DisputeNote purchase={purchase} className="block text-xs" />
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
        <RowMenu label={user.email} actions={actions} />
      </Cell>
    </>
  )
}
