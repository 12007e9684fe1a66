import { useState } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '#contract/call.ts'
import type { InputOf, OutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type Purchase } from '#contract/selling/purchases.ts'
import { purchasesAdmin, type RefundReason, refundReasons } from '#contract/selling/purchases-admin.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { Choice } from '../parts/dialog-parts.tsx'
import { centsOf, dollarAmount } from '../parts/dollars.ts'

const reasonField = z.pipe(
  z.string(),
  // Without a reason, the select's value is empty.
  z.transform((value) => (value in refundReasons ? (value as RefundReason) : undefined)),
)
const fullRefund = z.object({ reason: reasonField })
const partialRefund = z.extend(fullRefund, {
  amount: dollarAmount.check(z.minimum(1, 'Please enter an amount like 39.99')),
})

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const formatDay = (at: string) => dayFormat.format(new Date(at))

export function RefundDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [isFullRefund, setIsFullRefund] = useState(true)
  const [typedAmount, setTypedAmount] = useState('')
  const [chosenPaymentId, setChosenPaymentId] = useState<string>()
  const [keepsAccess, setKeepsAccess] = useState(false)
  const { id, user } = purchase
  // Loaded each time the dialog opens, because the refundable amount can change at Stripe.
  const { data: refundable, error } = useData(purchasesAdmin.refundable, { id }, { gcTime: 0 })
  const payment =
    refundable?.payments.find(({ paymentIntentId }) => paymentIntentId === chosenPaymentId) ?? refundable?.payments[0]
  const refundsWholePayment = isFullRefund || (payment !== undefined && centsOf(typedAmount) === payment.refundable)
  // The seller may still keep the access, with a checkbox.
  const canEndSubscription = refundsWholePayment && payment?.endsSubscription === true
  return (
    <CallDialog
      title="Refund"
      description={
        <>
          Refund a payment from {user.email} to their card. <RefundableText refundable={refundable} error={error} />
        </>
      }
      call={purchasesAdmin.refund}
      options={{ succeeded: 'Refund sent successfully', failed: 'Failed to refund' }}
      schema={isFullRefund ? fullRefund : partialRefund}
      button={{
        variant: 'danger',
        pendingText: 'Refunding...',
        disabled: payment?.refundable === 0,
        children: 'Refund',
      }}
      onClose={onClose}
      inputOf={(fields) => {
        // The server refuses if someone has refunded more since.
        const refundedSoFar = refundable?.refundedSoFar ?? purchase.refundedAmount
        const input: InputOf<typeof purchasesAdmin.refund> = { id, refundedSoFar, ...fields }
        if (payment) input.paymentIntentId = payment.paymentIntentId
        if (canEndSubscription && keepsAccess) input.keepAccess = true
        return input
      }}
    >
      {refundable && refundable.payments.length > 1 && (
        <Field name="payment" label="Payment">
          <Select value={payment?.paymentIntentId} onChange={(event) => setChosenPaymentId(event.target.value)}>
            {refundable.payments.map(({ paymentIntentId, paidAt, amount, refundable: refundableAmount, credited }) => (
              <option key={paymentIntentId} value={paymentIntentId} disabled={refundableAmount === 0}>
                {formatDay(paidAt)}, {exactDollars(amount)}
                {refundableAmount < amount && `, ${exactDollars(refundableAmount)} left`}
                {credited > 0 && `, ${exactDollars(credited)} credited to the year`}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">How much</legend>
        <Choice label="Full refund" checked={isFullRefund} onChange={() => setIsFullRefund(true)}>
          {payment ? exactDollars(payment.refundable) : 'The rest of the payment'}.
          {payment && payment.credited > 0 && ` ${exactDollars(payment.credited)} of it was credited to the year.`}
        </Choice>
        <Choice label="Partial refund" checked={!isFullRefund} onChange={() => setIsFullRefund(false)}>
          An amount that you choose.
        </Choice>
      </fieldset>
      {!isFullRefund && (
        <Field name="amount" label="Amount in dollars">
          <Input
            inputMode="decimal"
            autoComplete="off"
            placeholder="39.00"
            onChange={(event) => setTypedAmount(event.target.value)}
          />
        </Field>
      )}
      <Field name="reason" label="Reason">
        <Select defaultValue="" options={[['', 'No reason given'], ...Object.entries(refundReasons)]} />
      </Field>
      {canEndSubscription && refundable?.accessUntil && (
        <Checkbox
          label={`Keep access until ${formatDay(refundable.accessUntil)}`}
          checked={keepsAccess}
          onTick={setKeepsAccess}
        />
      )}
      {refundable?.accessUntil && (
        <output className="text-sm">
          {canEndSubscription && !keepsAccess
            ? 'The subscription ends immediately, and so does access.'
            : 'The subscription continues.'}
        </output>
      )}
    </CallDialog>
  )
}

type RefundableTextProps = { refundable: OutputOf<typeof purchasesAdmin.refundable> | undefined; error: Error | null }

function RefundableText({ refundable, error }: RefundableTextProps) {
  if (error instanceof ApiError && error.status === 409) return error.message
  if (error) return 'We couldn’t load how much can be refunded.'
  if (!refundable) return 'Checking with Stripe…'
  const total = refundable.payments.reduce((sum, payment) => sum + payment.refundable, 0)
  if (total === 0) return 'Fully refunded.'
  return (
    <>
      {exactDollars(total)} can be refunded
      {refundable.refundedSoFar > 0 && `; ${exactDollars(refundable.refundedSoFar)} of this purchase has been refunded`}
      .
    </>
  )
}
