import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { sortings } from '#contract/endpoint.ts'
import { type ManagedPurchase, purchaseFilters, purchases } from '#contract/selling/purchases.ts'
import { billingTypes, bookingKindTexts, purchaseStatuses, statusTexts } from '#contract/statuses.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { AddButton } from '../lists/add-button.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { NoMatch } from '../lists/no-match.tsx'
import { Chips, Filter, SearchBox, SortFilter } from '../lists/search-box.tsx'
import { usePages, useRowCall } from '../lists/use-pages.ts'
import { money } from '../parts/dollars.ts'
import { type Chosen, useAddress } from '../shell/use-address.ts'
import { AddPurchaseDialog } from './add-purchase-dialog.tsx'
import { changesPurchase, isRefundable, useCancelPurchase } from './purchase-actions.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { StatusBadge } from './status-badge.tsx'

const choices = {
  q: 'text',
  status: purchaseFilters,
  billingType: billingTypes,
  disputed: ['yes'],
  begun: 'text',
  ended: 'text',
  sort: sortings,
} as const
type Choice = Chosen<typeof choices>

const columns = ['User', 'Product', 'Billing', 'Amount', 'Status', 'Date', 'Action']

export default function PurchasesTab() {
  const [chosen, choose] = useAddress(choices)
  const [refunding, setRefunding] = useState<ManagedPurchase | null>(null)
  const isAdmin = useIsAdmin()
  const query = usePages(purchases.adminList, chosen)
  const askAndCancel = useCancelPurchase()
  const remove = useRowCall(purchases.adminDelete, {
    ...changesPurchase,
    succeeded: 'Purchase deleted successfully',
    failed: 'Failed to delete purchase',
  })

  async function askAndRemove({ id, user }: ManagedPurchase) {
    const yes = await confirm({
      title: 'Delete purchase',
      description: `Permanently delete purchase for ${user.email}? This action cannot be undone.`,
      action: 'Delete purchase',
      destructive: true,
    })
    if (yes) remove.mutate({ id })
  }

  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox placeholder="Search by email or name..." q={chosen.q} onSearch={(q) => choose({ q })} />
        <Filters chosen={chosen} choose={choose} />
        {isAdmin && <AddButton text="Add Purchase" dialog={AddPurchaseDialog} />}
      </div>
      <Chips
        chips={[
          chosen.disputed && { text: 'Disputed', remove: () => choose({ disputed: undefined }) },
          chosen.begun && {
            text: `Begun in ${monthName(chosen.begun)}`,
            remove: () => choose({ begun: undefined }),
          },
          chosen.ended && {
            text: `Ended in ${monthName(chosen.ended)}`,
            remove: () => choose({ ended: undefined }),
          },
        ]}
      />
      <EndlessTable
        label="Purchases"
        noun={['purchase', 'purchases']}
        columns={columns}
        query={query}
        empty={
          Object.keys(chosen).some((name) => name !== 'sort') ? (
            <NoMatch title="No purchases found" />
          ) : (
            <EmptyState title="No purchases found" description="Every purchase will stand here." />
          )
        }
        renderRow={(purchase) => (
          <Row
            purchase={purchase}
            mayChange={isAdmin}
            onCancel={() => void askAndCancel(purchase)}
            onRefund={() => setRefunding(purchase)}
            onRemove={() => void askAndRemove(purchase)}
          />
        )}
      />
      {refunding && <RefundDialog purchase={refunding} onClose={() => setRefunding(null)} />}
    </div>
  )
}

function Filters({ chosen, choose }: { chosen: Choice; choose: (change: Choice) => void }) {
  return (
    <>
      <Filter
        aria-label="Status"
        value={chosen.status ?? ''}
        onChange={({ target }) => choose({ status: target.value as Choice['status'] })}
      >
        <option value="">All statuses</option>
        <option value="live">with access</option>
        {purchaseStatuses.map((status) => (
          <option key={status} value={status}>
            {statusTexts[status]}
          </option>
        ))}
      </Filter>
      <Filter
        aria-label="Billing"
        value={chosen.billingType ?? ''}
        onChange={({ target }) => choose({ billingType: target.value as Choice['billingType'] })}
      >
        <option value="">All billing</option>
        {billingTypes.map((billing) => (
          <option key={billing}>{billing}</option>
        ))}
      </Filter>
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
}) {
  const { purchase, mayChange, onCancel, onRefund, onRemove } = props
  const { user, product, billingType, amount, refundedAmount, status, createdAt, endsAt, kind, reason } =
    purchase
  return (
    <>
      <Cell className="max-w-64">
        <CustomerLink id={purchase.userId} title={user.name}>
          {user.name}
        </CustomerLink>
        <span className="block truncate text-muted" title={user.email}>
          {user.email}
        </span>
      </Cell>
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
        {money(amount)}
        {refundedAmount > 0 && (
          <span className="block text-xs text-muted">{money(refundedAmount)} refunded</span>
        )}
      </Cell>
      <Cell label="Status">
        <StatusBadge status={status} />
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
        {mayChange && (
          <div className="flex items-center justify-end gap-1">
            {isRefundable(purchase) && (
              <Button variant="ghost" size="sm" onClick={onRefund}>
                Refund<span className="sr-only"> purchase for {user.email}</span>
              </Button>
            )}
            {status === 'active' && (
              <Button variant="ghost" size="sm" onClick={onCancel}>
                Cancel<span className="sr-only"> purchase for {user.email}</span>
              </Button>
            )}
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Delete purchase for ${user.email}`}
              onClick={onRemove}
              className="text-muted hover:bg-danger-soft hover:text-danger"
            >
              <Trash2 className="size-4.5" aria-hidden="true" />
            </Button>
          </div>
        )}
      </Cell>
    </>
  )
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** 2026-03 is March 2026; whatever else stands in the address, as it is. */
function monthName(typed: string) {
  const date = new Date(`${typed}-01T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? typed : month.format(date)
}
