import { type ReactNode, useState } from 'react'
import { exactDollars } from '#contract/money.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Time } from '#web/ui/time.tsx'
import { Choice } from '../parts/dialog-parts.tsx'

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

export function CancelDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const { id, user, status, paidThrough } = purchase
  const mayWait = status === 'active'
  // Support may not end a paid period.
  const mayEndNow = useCan()('purchases.manage')
  const [isLater, setIsLater] = useState(mayWait && (paidThrough === 'stripe' || !mayEndNow))
  const [refunds, setRefunds] = useState(false)
  // Fetched at each opening: the unused amount shrinks every day.
  const { data: known, isError } = useData(purchases.adminCancellation, { id }, { gcTime: 0 })
  const cancelling = { failed: 'Failed to cancel purchase', onSuccess: onClose }
  const cancelNow = useCall(purchases.adminCancel, { ...cancelling, succeeded: 'Purchase cancelled successfully' })
  const cancelLater = useCall(purchases.adminCancelAtPeriodEnd, {
    ...cancelling,
    succeeded: known?.endsAt ? `Cancels on ${dayFormat.format(new Date(known.endsAt))}` : 'Cancels at period end',
  })
  const isMissing = known?.isMissing ?? false
  const send = () =>
    isLater && !isMissing
      ? cancelLater.mutate({ id })
      : cancelNow.mutate({ id, ...(refunds && known && { refund: known.rest }) })
  const later = <Later endsAt={known?.endsAt ?? null} refund={known?.refund ?? 0} />
  const now = (
    <>
      Access ends today.{' '}
      {refunds && known
        ? `${exactDollars(known.rest)} goes back to their card.`
        : status === 'pending_cancel' && known && known.refund > 0
          ? `${exactDollars(known.refund)} is refunded, as promised when it was cancelled.`
          : 'Nothing is refunded.'}
    </>
  )
  return (
    <Dialog
      role="alertdialog"
      title="Cancel purchase"
      description={`Cancel purchase for ${user.email}?`}
      onClose={onClose}
    >
      {isError && <p role="alert">We couldn’t load what can be refunded.</p>}
      {!known && !isError ? (
        <Skeleton className="h-40" />
      ) : (
        <div className="flex flex-col gap-3">
          {isMissing ? (
            <p>
              Stripe doesn’t know this subscription. Check first that your keys are the right ones. If they are, it is
              gone at Stripe: access ends today, and nothing is refunded.
            </p>
          ) : mayWait && mayEndNow ? (
            <fieldset className="flex flex-col gap-3">
              <legend className="sr-only">When</legend>
              <Choice label="At the end of the paid period" checked={isLater} onChange={() => setIsLater(true)}>
                {later}
              </Choice>
              <Choice label="End now" checked={!isLater} onChange={() => setIsLater(false)}>
                {now}
              </Choice>
            </fieldset>
          ) : (
            <p>{isLater ? later : now}</p>
          )}
          {!isLater && known && known.rest > 0 && (
            <Checkbox label={`Refund the rest, ${exactDollars(known.rest)}`} checked={refunds} onTick={setRefunds} />
          )}
        </div>
      )}
      <DialogButtons onClose={onClose} cancel="Keep it">
        <Button
          variant="danger"
          pending={cancelNow.isPending || cancelLater.isPending}
          disabled={!known && !isError}
          onClick={send}
        >
          Cancel purchase
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

function Later({ endsAt, refund }: { endsAt: string | null; refund: number }): ReactNode {
  return (
    <>
      They keep access until {endsAt ? <Time value={endsAt} /> : 'then'}, and nothing more is charged. You can undo it
      until then.
      {refund > 0 &&
        ` The year has renewed, so it ends with one month’s notice, and ${exactDollars(refund)} is refunded then.`}
    </>
  )
}
