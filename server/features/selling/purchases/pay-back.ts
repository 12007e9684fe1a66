import type { StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import type { Queue } from '#server/jobs/queue.ts'

type Dependencies = {
  stripe: StripeGateway
  queue: Queue
  sync: (subscriptionId: string) => Promise<void>
  crashPoint: (name: string) => void
}

export type PayBackJobs = ReturnType<typeof createPayBackJobs>

type Which = (payment: Subscription['payments'][number]) => boolean

/** Refunds whatever is left of every payment for a subscription. Safe to repeat: what is back is not left. */
export async function payBackAll(stripe: StripeGateway, subscriptionId: string, isMeant: Which = () => true) {
  const left = async () =>
    (await stripe.subscription(subscriptionId)).payments.filter(
      (payment) => payment.refunded < payment.amount && isMeant(payment),
    )
  for (const { paymentIntentId } of await left())
    await stripe.refund(paymentIntentId, async () => {
      const payment = (await left()).find((each) => each.paymentIntentId === paymentIntentId)
      return payment ? payment.amount - payment.refunded : 0
    })
}

/** Money that goes back because of what a sync has found. */
export function createPayBackJobs({ stripe, queue, sync, crashPoint }: Dependencies) {
  /** What was paid in vain; for a second subscription, first of all. */
  const payBackNow = queue.job<{ subscriptionId: string }>(
    'pay-back-duplicate',
    async ({ subscriptionId }) => {
      await stripe.cancelNow(subscriptionId)
      crashPoint('duplicate cancelled')
      await payBackAll(stripe, subscriptionId)
      await sync(subscriptionId)
    },
  )

  /** Whoever gets money back gets a credit note for their books. */
  const creditRefunds = queue.job<{ subscriptionId: string }>('credit-refunds', ({ subscriptionId }) =>
    stripe.creditRefunds(subscriptionId),
  )

  /** What a month's notice left of a paid year. */
  const payBackRest = queue.job<{ subscriptionId: string; amount: number }>(
    'pay-back-rest',
    async ({ subscriptionId, amount }) => {
      const latest = async () => (await stripe.subscription(subscriptionId)).payments[0]
      const payment = await latest()
      if (!payment) return
      await stripe.refund(
        payment.paymentIntentId,
        async () => {
          const current = await latest()
          return current ? Math.min(amount, current.amount - current.refunded) : 0
        },
        `rest of ${subscriptionId}`,
      )
      await sync(subscriptionId)
    },
  )

  return { payBackNow, payBackRest, creditRefunds }
}
