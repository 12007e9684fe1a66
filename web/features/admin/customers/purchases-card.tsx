import type { AccessPerson } from '#contract/access/access-admin.ts'
import type { Customer } from '#contract/admin/customers.ts'
import { exactDollars } from '#contract/money.ts'
import { leaveReasonTexts } from '#contract/selling/leave-reason-texts.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import type { ManagedPurchase } from '#contract/selling/purchases-admin.ts'
import { accessStateTexts, bookingKindTexts, isLive, statusTexts, statusTones } from '#contract/statuses.ts'
import { useCan } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, EmptyState } from '#web/ui/card.tsx'
import { Badge, Notice } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { AccessMenu, stateTones } from '../access/access-menu.tsx'
import { useAccessActions } from '../access/actions.tsx'
import { type RowAction, RowMenu } from '../parts/row-menu.tsx'
import { DisputeNote } from '../purchases/dispute-note.tsx'
import { FormerAccount } from '../purchases/former-account.tsx'
import { usePurchaseActions } from '../purchases/use-purchase-actions.tsx'
import { useLinkedAction } from './use-linked-action.ts'

export function PurchasesCard({ customer }: { customer: Customer }) {
  const { purchases, access } = customer
  const actionsFor = usePurchaseActions()
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Purchases and access</h2>
      {purchases.length === 0 ? (
        <EmptyState title="No purchases yet" description="Their purchases and access appear here." />
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {purchases.map((purchase) => (
            <PurchaseItem key={purchase.id} purchase={purchase} actions={actionsFor(purchase)} />
          ))}
        </ul>
      )}
      {access.map((person) => (
        <AccessSection key={person.id} person={person} />
      ))}
      <LinkedActionDialog purchases={purchases} />
    </Card>
  )
}

const actionNames = { refund: 'Refund', cancel: 'Cancel' } as const

/** Opens the dialog of the action in the address (`?do=refund`), for the first purchase that allows it. */
function LinkedActionDialog({ purchases }: { purchases: ManagedPurchase[] }) {
  const [action, setAction] = useLinkedAction()
  const actionsFor = usePurchaseActions()
  const can = useCan()
  if (!action || action === 'write') return null
  const possibleActions = purchases
    .flatMap((purchase) => actionsFor(purchase))
    .filter((candidate) => candidate !== false)
  const linkedAction = possibleActions.find(({ text, needs }) => text === actionNames[action] && (!needs || can(needs)))
  if (!linkedAction?.renderDialog) return <Notice tone="warning">There is nothing to {action} here.</Notice>
  return linkedAction.renderDialog(() => setAction(undefined))
}

function PurchaseItem({ purchase, actions }: { purchase: ManagedPurchase; actions: (RowAction | false)[] }) {
  const { product, billingType, amount, refundedAmount, status, createdAt, kind, reason } = purchase
  const { leaveReason, leaveComment } = purchase
  return (
    <li className="flex items-start gap-3 py-4 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {product.name} <Badge tone={statusTones[status]}>{statusTexts[status]}</Badge>
          {purchase.isDisputed && <Badge tone="bad">disputed</Badge>}
        </p>
        <p className="text-sm text-muted">
          {exactDollars(amount)} {billingType}, since <Time value={createdAt} />
          {refundedAmount > 0 && `, ${exactDollars(refundedAmount)} refunded`}
        </p>
        {kind && (
          <p className="text-sm break-words text-muted">
            Booked by hand: {bookingKindTexts[kind]}
            {reason && `, “${reason}”`}
          </p>
        )}
        {leaveReason && (
          <p className="text-sm break-words text-muted">
            Why they left: {leaveReasonTexts[leaveReason]}
            {leaveComment && `, “${leaveComment}”`}
          </p>
        )}
        <FormerAccount purchase={purchase} className="block text-sm text-muted" />
        <DateLine purchase={purchase} />
        <DisputeNote purchase={purchase} className="block text-sm" />
      </div>
      <RowMenu label={product.name} actions={actions} />
    </li>
  )
}

function DateLine({ purchase }: { purchase: Purchase }) {
  const { label, date } = nextDateOf(purchase)
  if (!date) return null
  return (
    <p className="text-sm text-muted">
      {label} <Time value={date} />
    </p>
  )
}

function nextDateOf({ status, currentPeriodEnd, endsAt, graceEndsAt, endedAt }: Purchase) {
  if (status === 'past_due') return { label: 'Access until', date: graceEndsAt }
  if (endedAt && !isLive(status)) return { label: 'Ended on', date: endedAt }
  if (endsAt) return { label: 'Ends on', date: endsAt }
  return { label: 'Renews on', date: currentPeriodEnd }
}

function AccessSection({ person }: { person: AccessPerson }) {
  const { id, username, state, isByHand } = person
  const actions = useAccessActions()
  return (
    <section aria-label="Access" className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="min-w-0 font-mono break-all">{username ?? 'No username yet'}</span>
        <Badge tone={stateTones[state]}>access {accessStateTexts[state]}</Badge>
        <span className="ml-auto flex items-center gap-1">
          {state === 'asked' && (
            <Button
              variant="secondary"
              size="sm"
              pending={actions.isBusy}
              onClick={() => (isByHand ? actions.recordAdded([id]) : actions.unlock([id]))}
            >
              {isByHand ? 'I’ve added them' : 'Unlock'}
            </Button>
          )}
          <AccessMenu person={person} actions={actions} />
        </span>
      </div>
      {actions.undoBar}
    </section>
  )
}
