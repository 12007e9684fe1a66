import type { Payment, StripeGateway } from '#server/gateways/stripe.ts'
import { type AmountDue, isRefundable } from './refundable.ts'

export function fullAmountIf(isDue: (payment: Payment) => boolean): AmountDue {
  return (payment) => (isDue(payment) ? payment.amount : 0)
}

/** Idempotent: amounts already refunded count. */
export async function refundAll(
  stripe: StripeGateway,
  subscriptionId: string,
  amountDue: AmountDue = ({ amount }) => amount,
) {
  const readRemaining = async () => {
    const subscription = await stripe.subscriptions.read(subscriptionId)
    return subscription.payments.flatMap((payment) => {
      const { paymentIntentId, refunded } = payment
      const amount = isRefundable(payment) ? amountDue(payment, subscription) - refunded : 0
      return amount > 0 ? { paymentIntentId, amount } : []
    })
  }
  // Reads again right before each refund, because another process may have refunded meanwhile.
  for (const { paymentIntentId } of await readRemaining())
    await stripe.payments.refund(paymentIntentId, async () => {
      const remaining = await readRemaining()
      return remaining.find((refund) => refund.paymentIntentId === paymentIntentId)?.amount ?? 0
    })
}
