import type { Payment, StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import { isRefundable } from './refundable.ts'

/** Computes the total amount of a payment that must be refunded, in cents, including what already was. */
export type AmountDue = (payment: Payment, subscription: Subscription) => number

/** Refunds matching payments in full, and others not at all. */
export const wholePayment =
  (matches: (payment: Payment) => boolean): AmountDue =>
  (payment) =>
    matches(payment) ? payment.amount : 0

/** Refunds every payment up to its amount due, in full by default. Idempotent: amounts already refunded count. */
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
      return remaining.find((each) => each.paymentIntentId === paymentIntentId)?.amount ?? 0
    })
}
