import type { StripeGateway } from '../../gateways/stripe.ts'

/** Refunds whatever is left of every payment for a subscription. Safe to repeat: what is back is not left. */
export async function payBackAll(stripe: StripeGateway, subscriptionId: string) {
  const left = async () =>
    (await stripe.subscription(subscriptionId)).payments.filter(({ amount, refunded }) => refunded < amount)
  for (const { paymentIntentId } of await left())
    await stripe.refund(paymentIntentId, async () => {
      const payment = (await left()).find((each) => each.paymentIntentId === paymentIntentId)
      return payment ? payment.amount - payment.refunded : 0
    })
}
