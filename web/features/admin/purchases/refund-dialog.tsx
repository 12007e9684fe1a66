import { useState } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '#contract/call.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { type RefundReason, refundReasons } from '#contract/selling/purchases-admin.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { Choice } from '../parts/dialog-parts.tsx'
import { centsOf, dollarAmount } from '../parts/dollars.ts'

const reason = z.pipe(
  z.string(),
  z.transform((chosen) => (chosen in refundReasons ? (chosen as RefundReason) : undefined)),
)
const fullRefund = z.object({ reason })
const partialRefund = z.extend(fullRefund, {
  amount: dollarAmount.check(z.minimum(1, 'Please enter an amount like 39.99')),
})

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayOf = (at: string) => days.format(new Date(at))

export function RefundDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [inFull, setInFull] = useState(true)
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<string>()
  const [keeps, setKeeps] = useState(false)
  const { id, user } = purchase
  // Fetched at each opening: the refundable amount can change at Stripe.
  const { data: known, error } = useData(purchases.adminRefundable, { id }, { gcTime: 0 })
  const payment = known?.payments.find(({ paymentIntentId }) => paymentIntentId === chosen) ?? known?.payments[0]
  const isWhole = inFull || (payment !== undefined && centsOf(typed) === payment.refundable)
  const mayEnd = isWhole && payment?.endsSubscription === true
  return (
    <CallDialog
      title="Refund"
      description={
        <>
          Refund a payment from {user.email} to their card. <Left known={known} error={error} />
        </>
      }
      call={purchases.adminRefund}
      options={{ succeeded: 'Refund sent successfully', failed: 'Failed to refund' }}
      schema={inFull ? fullRefund : partialRefund}
      button={{
        variant: 'danger',
        pendingText: 'Refunding...',
        disabled: payment?.refundable === 0,
        children: 'Refund',
      }}
      onClose={onClose}
      inputOf={(wanted) => ({
        id,
        refundedSoFar: known?.refundedSoFar ?? purchase.refundedAmount,
        ...wanted,
        ...(payment && { paymentIntentId: payment.paymentIntentId }),
        ...(mayEnd && keeps && { keepAccess: true }),
      })}
    >
      {known && known.payments.length > 1 && (
        <Field name="payment" label="Payment">
          <Select value={payment?.paymentIntentId} onChange={(event) => setChosen(event.target.value)}>
            {known.payments.map(({ paymentIntentId, paidAt, amount, refundable: left, credited }) => (
              <option key={paymentIntentId} value={paymentIntentId} disabled={left === 0}>
                {dayOf(paidAt)}, {exactDollars(amount)}
                {left < amount && `, ${exactDollars(left)} left`}
                {credited > 0 && `, ${exactDollars(credited)} credited to the year`}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">How much</legend>
        <Choice label="Full refund" checked={inFull} onChange={() => setInFull(true)}>
          {payment ? exactDollars(payment.refundable) : 'The rest of the payment'}.
          {payment && payment.credited > 0 && ` ${exactDollars(payment.credited)} of it was credited to the year.`}
        </Choice>
        <Choice label="Partial refund" checked={!inFull} onChange={() => setInFull(false)}>
          An amount that you choose.
        </Choice>
      </fieldset>
      {!inFull && (
        <Field name="amount" label="Amount in dollars">
          <Input
            inputMode="decimal"
            autoComplete="off"
            placeholder="39.00"
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
      )}
      <Field name="reason" label="Reason">
        <Select defaultValue="" options={[['', 'No reason given'], ...Object.entries(refundReasons)]} />
      </Field>
      {mayEnd && known?.accessUntil && (
        <Checkbox label={`Keep access until ${dayOf(known.accessUntil)}`} checked={keeps} onTick={setKeeps} />
      )}
      {known?.accessUntil && (
        <output className="text-sm">
          {mayEnd && !keeps ? 'The subscription ends immediately, and so does access.' : 'The subscription continues.'}
        </output>
      )}
    </CallDialog>
  )
}

type LeftProps = { known: OutputOf<typeof purchases.adminRefundable> | undefined; error: Error | null }

function Left({ known, error }: LeftProps) {
  if (error instanceof ApiError && error.status === 409) return error.message
  if (error) return 'We couldn’t load how much can be refunded.'
  if (!known) return 'Checking with Stripe…'
  const refundable = known.payments.reduce((sum, payment) => sum + payment.refundable, 0)
  if (refundable === 0) return 'Fully refunded.'
  return (
    <>
      {exactDollars(refundable)} can be refunded
      {known.refundedSoFar > 0 && `; ${exactDollars(known.refundedSoFar)} of this purchase has been refunded`}.
    </>
  )
}
