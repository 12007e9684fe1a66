import { type ReactNode, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type Purchase } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Time } from '#web/ui/time.tsx'
import { Choice } from '../parts/dialog-parts.tsx'

type Cancellation = OutputOf<typeof purchasesAdmin.cancellation>

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

export function CancelDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const { id, user, status, paidThrough } = purchase
  const canCancelLater = status === 'active'
  // Support staff can only cancel at the end of the period.
  const canEndNow = useCan()('purchases.manage')
  const [cancelsLater, setCancelsLater] = useState(canCancelLater && (paidThrough === 'stripe' || !canEndNow))
  const [refundsRest, setRefundsRest] = useState(false)
  // Loaded each time the dialog opens, because the unused amount shrinks every day.
  const { data: cancellation, isError } = useData(purchasesAdmin.cancellation, { id }, { gcTime: 0 })
  const sharedOptions = { failed: 'Failed to cancel purchase', onSuccess: onClose }
  const cancelNow = useCall(purchasesAdmin.cancel, { ...sharedOptions, succeeded: 'Purchase cancelled successfully' })
  const cancelLater = useCall(purchasesAdmin.cancelAtPeriodEnd, {
    ...sharedOptions,
    succeeded: cancelledLaterMessage(cancellation),
  })
  const isMissingAtStripe = cancellation?.isMissing ?? false
  function sendCancellation() {
    const refund = refundsRest && cancellation ? { refund: cancellation.rest } : {}
    if (cancelsLater && !isMissingAtStripe) cancelLater.mutate({ id, endsAt: cancellation?.endsAt })
    else cancelNow.mutate({ id, ...refund })
  }
  const laterText = <CancelLaterText cancellation={cancellation} />
  const nowText = <>Access ends today. {refundText()}</>

  function refundText() {
    if (refundsRest && cancellation) return `${exactDollars(cancellation.rest)} goes back to their card.`
    if (status === 'pending_cancel' && cancellation && cancellation.refund > 0)
      return `${exactDollars(cancellation.refund)} is refunded, as promised when it was cancelled.`
    return 'Nothing is refunded.'
  }

  function renderChoice() {
    if (isMissingAtStripe)
      return (
        <p>
          Stripe doesn’t know this subscription. Check first that your keys are the right ones. If they are, it is gone
          at Stripe: access ends today, and nothing is refunded.
        </p>
      )
    const endsTodayAnyway = canCancelLater && cancellation?.endsAt === null
    if (endsTodayAnyway || !(canCancelLater && canEndNow)) return <p>{cancelsLater ? laterText : nowText}</p>
    return (
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">When</legend>
        <Choice label="At the end of the paid period" checked={cancelsLater} onChange={() => setCancelsLater(true)}>
          {laterText}
        </Choice>
        <Choice label="End now" checked={!cancelsLater} onChange={() => setCancelsLater(false)}>
          {nowText}
        </Choice>
      </fieldset>
    )
  }

  return (
    <Dialog
      role="alertdialog"
      title="Cancel purchase"
      description={`Cancel purchase for ${user.email}?`}
      onClose={onClose}
    >
      {isError && <p role="alert">We couldn’t load what can be refunded.</p>}
      {!cancellation && !isError ? (
        <Skeleton className="h-40" />
      ) : (
        <div className="flex flex-col gap-3">
          {renderChoice()}
          {!cancelsLater && cancellation && cancellation.rest > 0 && (
            <Checkbox
              label={`Refund the rest, ${exactDollars(cancellation.rest)}`}
              checked={refundsRest}
              onTick={setRefundsRest}
            />
          )}
        </div>
      )}
      <DialogButtons onClose={onClose} cancel="Keep it">
        <Button
          variant="danger"
          pending={cancelNow.isPending || cancelLater.isPending}
          disabled={!cancellation && (cancelsLater || !isError)}
          onClick={sendCancellation}
        >
          Cancel purchase
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

/** `cancellation` is missing if it could not be loaded. */
function CancelLaterText({ cancellation }: { cancellation: Cancellation | undefined }): ReactNode {
  if (cancellation && !cancellation.endsAt)
    return 'The renewal has not been charged yet. It won’t be, and access ends today.'
  const refund = cancellation?.refund ?? 0
  return (
    <>
      They keep access until {cancellation?.endsAt ? <Time value={cancellation.endsAt} /> : 'then'}, and nothing more is
      charged. You can undo it until then.
      {refund > 0 &&
        ` The year has renewed, so it ends with one month’s notice, and ${exactDollars(refund)} is refunded then.`}
    </>
  )
}

function cancelledLaterMessage(cancellation: Cancellation | undefined) {
  if (!cancellation) return 'Cancels at period end'
  return cancellation.endsAt
    ? `Cancels on ${dayFormat.format(new Date(cancellation.endsAt))}`
    : 'Purchase cancelled successfully'
}
