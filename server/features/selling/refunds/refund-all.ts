import type { RefundNotes, StripeGateway } from '#server/gateways/stripe.ts'
import type { PaidHistory } from '../invoices/invoices.ts'
import { type AmountDue, remainingRefunds } from './refundable.ts'

type PaymentRecord = PaidHistory['payments'][number]

export function fullAmountIf(isDue: (payment: PaymentRecord) => boolean): AmountDue {
  return (payment) => (isDue(payment) ? payment.amount : 0)
}

/** Idempotent: amounts already refunded count. */
export async function refundAll(
  stripe: StripeGateway,
  subscriptionId: string,
  amountDue: AmountDue = ({ amount }) => amount,
  notes: RefundNotes = {},
) {
  const readRemaining = async () => remainingRefunds(await stripe.subscriptions.read(subscriptionId), amountDue)
  // Reads again right before each refund, because another process may have refunded meanwhile.
  for (const { paymentIntentId } of await readRemaining())
    await stripe.payments.refund(
      paymentIntentId,
      async () => {
        const remaining = await readRemaining()
        return remaining.find((refund) => refund.paymentIntentId === paymentIntentId)?.amount ?? 0
      },
      notes,
    )
}
