import type { Payment, StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import { isRefundable } from './refundable.ts'

/** How much of a payment is to be refunded in all, in cents. */
export type AmountDue = (payment: Payment, answer: Subscription) => number

/** Whole amount of matching payments, nothing of others. */
export const wholePayment =
  (isMeant: (payment: Payment) => boolean): AmountDue =>
  (payment) =>
    isMeant(payment) ? payment.amount : 0

/** Refunds what is due of every payment for a subscription. Idempotent: skips what is refunded already. */
export async function refundAll(
  stripe: StripeGateway,
  subscriptionId: string,
  amountDue: AmountDue = ({ amount }) => amount,
) {
  const countRemaining = async () => {
    const answer = await stripe.subscriptions.read(subscriptionId)
    return answer.payments.flatMap((payment) => {
      const { paymentIntentId, refunded } = payment
      const amount = isRefundable(payment) ? amountDue(payment, answer) - refunded : 0
      return amount > 0 ? { paymentIntentId, amount } : []
    })
  }
  for (const { paymentIntentId } of await countRemaining())
    await stripe.payments.refund(paymentIntentId, async () => {
      const payment = (await countRemaining()).find((each) => each.paymentIntentId === paymentIntentId)
      return payment?.amount ?? 0
    })
}
