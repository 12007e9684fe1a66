import { useState } from 'react'
import type { AccessPerson } from '#contract/access/access-admin.ts'
import type { Customer } from '#contract/desk/customers.ts'
import { exactDollars } from '#contract/money.ts'
import { type ManagedPurchase, type Purchase, purchases } from '#contract/selling/purchases.ts'
import { bookingKindTexts, hasEnded, isLive, leaveReasonTexts } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, EmptyState } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Input } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { RenameDialog, useActions } from '../access/actions.tsx'
import { More } from '../access/person-dialog.tsx'
import { stateTexts, stateTones } from '../access/states.ts'
import { CancelDialog } from '../purchases/cancel-dialog.tsx'
import { changesPurchase } from '../purchases/purchase-actions.ts'
import { RefundDialog } from '../purchases/refund-dialog.tsx'
import { StatusBadge } from '../purchases/status-badge.tsx'

/** What they have: purchases, newest first, and the access that belongs to them. */
export function Has({ customer }: { customer: Customer }) {
  const { purchases: owned, access } = customer
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Purchases and access</h2>
      {owned.length === 0 ? (
        <EmptyState title="No purchases yet" description="Their purchases and access appear here." />
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {owned.map((purchase) => (
            <Owned key={purchase.id} purchase={purchase} />
          ))}
        </ul>
      )}
      {access.map((person) => (
        <Access key={person.id} person={person} />
      ))}
    </Card>
  )
}

function Owned({ purchase }: { purchase: ManagedPurchase }) {
  const {
    product,
    billingType,
    amount,
    refundedAmount,
    status,
    createdAt,
    kind,
    reason,
    leaveReason,
    leaveComment,
  } = purchase
  const [doing, setDoing] = useState<'refund' | 'extend' | 'cancel' | null>(null)
  const resume = useCall(purchases.adminResume, {
    ...changesPurchase,
    succeeded: { title: 'Cancellation taken back', description: 'The buyer gets an email.' },
    failed: 'Failed to take the cancellation back',
  })
  const isAdmin = useIsAdmin()
  const isExtendable = (status === 'active' && purchase.paymentIntentId !== null) || purchase.endsAt !== null

  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 py-4 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {product.name} <StatusBadge status={status} />
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
        <Until purchase={purchase} />
      </div>
      <div className="flex flex-wrap gap-2">
        {isAdmin && isExtendable && isLive(status) && (
          <Button variant="secondary" size="sm" onClick={() => setDoing('extend')}>
            Extend
          </Button>
        )}
        {isAdmin && purchase.paymentIntentId !== null && (
          <Button variant="secondary" size="sm" onClick={() => setDoing('refund')}>
            Refund
          </Button>
        )}
        {isAdmin && status === 'past_due' && <Unpaid id={purchase.id} />}
        {(isAdmin ? !hasEnded(status) : status === 'active') && (
          <Button variant="secondary" size="sm" onClick={() => setDoing('cancel')}>
            {status === 'pending_cancel' ? 'End now' : 'Cancel'}
          </Button>
        )}
        {isAdmin && status === 'pending_cancel' && (
          <Button
            variant="secondary"
            size="sm"
            pending={resume.isPending}
            onClick={() => resume.mutate({ id: purchase.id })}
          >
            Undo cancellation
          </Button>
        )}
      </div>
      {doing === 'cancel' && <CancelDialog purchase={purchase} onClose={() => setDoing(null)} />}
      {doing === 'refund' && <RefundDialog purchase={purchase} onClose={() => setDoing(null)} />}
      {doing === 'extend' && <ExtendDialog purchase={purchase} onClose={() => setDoing(null)} />}
    </li>
  )
}

/** A renewal that was not paid: the card may work by now, or the buyer pays by a link. */
function Unpaid({ id }: { id: string }) {
  const retry = useCall(purchases.adminRetryPayment, {
    ...changesPurchase,
    failed: 'The payment failed again',
    onSuccess: ({ state }) => toast({ title: retried[state], destructive: state === 'awaits-bank' }),
  })
  const link = useCall(purchases.adminSendPayLink, {
    ...changesPurchase,
    succeeded: { title: 'Link sent', description: 'They can pay without logging in.' },
    failed: 'Failed to send the link',
  })
  return (
    <>
      <Button variant="secondary" size="sm" pending={retry.isPending} onClick={() => retry.mutate({ id })}>
        Retry payment
      </Button>
      <Button variant="secondary" size="sm" pending={link.isPending} onClick={() => link.mutate({ id })}>
        Send pay link
      </Button>
    </>
  )
}

const retried = {
  done: 'Payment successful!',
  processing: 'The payment is being processed',
  'awaits-bank': 'Their bank wants them to confirm it. Send a pay link.',
}

function Until({
  purchase: { status, currentPeriodEnd, endsAt, graceEndsAt, endedAt },
}: {
  purchase: Purchase
}) {
  const [words, at] =
    status === 'past_due'
      ? ['Access until', graceEndsAt]
      : endedAt && !isLive(status)
        ? ['Ended on', endedAt]
        : endsAt
          ? ['Ends on', endsAt]
          : ['Renews on', currentPeriodEnd]
  return at ? (
    <p className="text-sm text-muted">
      {words} <Time value={at} />
    </p>
  ) : null
}

function Access({ person }: { person: AccessPerson }) {
  const { id, username, state } = person
  const actions = useActions()
  const isAdmin = useIsAdmin()
  const [isRenaming, setIsRenaming] = useState(false)
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="min-w-0 font-mono break-all">{username ?? 'No username yet'}</span>
        <Badge tone={stateTones[state]}>access {stateTexts[state]}</Badge>
        <span className="ml-auto flex items-center gap-1">
          {state === 'asked' && (
            <Button
              variant="secondary"
              size="sm"
              pending={actions.isBusy}
              onClick={() => actions.unlock([id])}
            >
              Unlock
            </Button>
          )}
          {isAdmin && (
            <Button variant="secondary" size="sm" onClick={() => setIsRenaming(true)}>
              Change username
            </Button>
          )}
          <More person={person} actions={actions} />
        </span>
      </div>
      {actions.undoBar}
      {isRenaming && <RenameDialog id={id} username={username} onClose={() => setIsRenaming(false)} />}
    </div>
  )
}

const form = z.object({ until: z.string().check(z.minLength(1, 'Please choose a day')) })
const day = 86_400_000
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Suggests two weeks, the usual compensation. */
function ExtendDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const extend = useCall(purchases.adminExtend, {
    ...changesPurchase,
    succeeded: { title: 'Extended', description: 'The buyer gets an email.' },
    failed: 'Failed to extend',
    onSuccess: onClose,
  })
  const present = Date.parse(purchase.endsAt ?? purchase.currentPeriodEnd ?? purchase.createdAt)
  return (
    <FormDialog
      title="Extend"
      description="Gives time at no charge. The next payment, or the end, moves to this day."
      schema={form}
      onSubmit={({ until }) => extend.mutateAsync({ id: purchase.id, until })}
      button={{ pendingText: 'Extending...', children: 'Extend' }}
      onClose={onClose}
    >
      <Field name="until" label="Until the end of" hint="The day in UTC.">
        <Input type="date" required min={isoDay(present)} defaultValue={isoDay(present + 14 * day)} />
      </Field>
    </FormDialog>
  )
}
