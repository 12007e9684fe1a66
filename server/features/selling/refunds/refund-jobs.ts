import type { Context } from '#server/context.ts'
import type { Enqueue } from '#server/jobs/queue.ts'
import { paymentsOfPeriod, refundedAsRest } from '../invoices/invoices.ts'
import { refundAll, wholePayment } from './refund-all.ts'
import { isRefundable } from './refundable.ts'

type RefundJobDeps = Pick<Context, 'stripe' | 'queue' | 'crashPoint'> & { sync(subscriptionId: string): Promise<void> }

/** Refunds that follow from Stripe's answers, queued in the transaction of the change. Each syncs afterward. */
export type RefundJobs = {
  /** Ends a subscription that bought nothing, such as a second one, and refunds its payments since then. */
  refundDuplicate: Enqueue<{ subscriptionId: string; since?: string }>
  /** Payments received after the subscription ended. */
  refundLate: Enqueue<{ subscriptionId: string }>
  /** The rest of a paid year that was ended with a month's notice. */
  refundRest: Enqueue<{ subscriptionId: string; amount: number }>
  /** Issues a credit note for every refund, for the buyer's books. */
  creditRefunds: Enqueue<{ subscriptionId: string }>
}

/** The rest of a period is refunded once, because of a promise or by the seller. */
export const restOfPeriod = (subscriptionId: string) => `rest of ${subscriptionId}`

export function createRefundJobs({ stripe, queue, crashPoint, sync }: RefundJobDeps): RefundJobs {
  return {
    refundDuplicate: queue.job<{ subscriptionId: string; since?: string }>(
      'refund-duplicate',
      async ({ subscriptionId, since }) => {
        await stripe.subscriptions.cancelNow(subscriptionId)
        crashPoint('duplicate cancelled')
        const isLater = since ? wholePayment(({ paidAt }) => paidAt > new Date(since)) : undefined
        await refundAll(stripe, subscriptionId, isLater)
        await sync(subscriptionId)
      },
    ),

    refundLate: queue.job<{ subscriptionId: string }>('refund-late', async ({ subscriptionId }) => {
      const { endedAt } = await stripe.subscriptions.read(subscriptionId)
      if (endedAt) {
        const isLate = wholePayment(({ paidAt }) => paidAt > endedAt)
        await refundAll(stripe, subscriptionId, isLate)
      }
      await sync(subscriptionId)
    }),

    refundRest: queue.job<{ subscriptionId: string; amount: number }>(
      'refund-rest',
      async ({ subscriptionId, amount }) => {
        const ofPeriod = async () => paymentsOfPeriod(await stripe.subscriptions.read(subscriptionId))
        for (const { paymentIntentId: intent } of await ofPeriod())
          await stripe.payments.refund(
            intent,
            async () => {
              const payments = await ofPeriod()
              const current = payments.find(({ paymentIntentId }) => paymentIntentId === intent)
              const promised = amount - payments.reduce((total, payment) => total + refundedAsRest(payment), 0)
              return current && isRefundable(current)
                ? Math.max(0, Math.min(promised, current.amount - current.refunded))
                : 0
            },
            { purpose: restOfPeriod(subscriptionId) },
          )
        await sync(subscriptionId)
      },
    ),

    creditRefunds: queue.job<{ subscriptionId: string }>('credit-refunds', async ({ subscriptionId }) => {
      await stripe.invoices.creditRefunds(subscriptionId)
      await sync(subscriptionId)
    }),
  }
}
