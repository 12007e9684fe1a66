import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import * as z from '#contract/zod.ts'
import { call } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { keyOf } from '#web/api/use-data.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogButtons } from '#web/ui/dialog-buttons.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Choice } from '../parts/choice.tsx'
import { dollarAmount } from '../parts/dollars.ts'
import { changesPurchase } from './purchase-actions.ts'

const all = z.object({})
const part = z.object({ amount: dollarAmount.check(z.minimum(1, 'Please enter an amount like 39.99')) })

export function RefundDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [inFull, setInFull] = useState(true)
  const refund = useCall(purchases.adminRefund, {
    ...changesPurchase,
    succeeded: 'Refund sent successfully',
    failed: 'Failed to refund',
    onSuccess: onClose,
  })
  const { id, user } = purchase
  // Asked each time it opens: what is left can change at Stripe without us.
  const { data: known, isError } = useQuery({
    queryKey: keyOf(purchases.adminRefundable, { id }),
    queryFn: () => call(purchases.adminRefundable, { id }),
    gcTime: 0,
  })
  return (
    <Dialog
      title="Refund"
      description={
        <>
          Refund the latest payment from {user.email} to their card. <Left known={known} isError={isError} />
        </>
      }
      onClose={onClose}
    >
      <Form
        key={String(inFull)}
        schema={inFull ? all : part}
        aria-label="Refund"
        className="flex flex-col gap-4"
        onSubmit={(typed) =>
          refund.mutateAsync({ id, refundedSoFar: known?.refundedSoFar ?? purchase.refundedAmount, ...typed })
        }
      >
        <fieldset className="flex flex-col gap-3">
          <legend className="sr-only">How much</legend>
          <Choice label="Full refund" checked={inFull} onChange={() => setInFull(true)}>
            {known ? exactDollars(known.left) : 'The rest of the payment'}. The subscription ends immediately.
          </Choice>
          <Choice label="Partial refund" checked={!inFull} onChange={() => setInFull(false)}>
            The subscription continues.
          </Choice>
        </fieldset>
        {!inFull && (
          <Field name="amount" label="Amount in dollars">
            <Input inputMode="decimal" autoComplete="off" placeholder="39.00" />
          </Field>
        )}
        <DialogButtons onClose={onClose}>
          <SubmitButton variant="danger" pendingText="Refunding..." disabled={known?.left === 0}>
            Refund
          </SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

function Left({
  known,
  isError,
}: {
  known: OutputOf<typeof purchases.adminRefundable> | undefined
  isError: boolean
}) {
  if (isError) return 'We couldn’t ask Stripe how much can be refunded.'
  if (!known) return 'Asking Stripe how much can be refunded...'
  if (known.left === 0) return 'It has been refunded in full.'
  return (
    <>
      {exactDollars(known.left)} can be refunded
      {known.refundedSoFar > 0 && `; ${exactDollars(known.refundedSoFar)} of this purchase has been refunded`}
      .
    </>
  )
}
