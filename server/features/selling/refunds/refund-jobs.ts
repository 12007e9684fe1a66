import type { Context } from '#server/context.ts'
import type { Enqueue } from '#server/jobs/queue.ts'
import { paymentsOfLatestPeriod, refundedForUnusedTerm } from '../invoices/invoices.ts'
import { fullAmountIf, refundAll } from './refund-all.ts'
import { isRefundable } from './refundable.ts'

type RefundJobDeps = Pick<Context, 'stripe' | 'queue' | 'crashPoint'> & { sync(subscriptionId: string): Promise<void> }

export type RefundJobs = {
  /** Ends a subscription that the shop refuses, such as a second one, and refunds its payments after `since`. */
  refundDuplicate: Enqueue<{ subscriptionId: string; since?: string }>
  /** Refunds payments received after the subscription ended. */
  refundLate: Enqueue<{ subscriptionId: string }>
  /** Refunds the unused part of a term that was cancelled with a month's notice, `amount` in total. */
  refundUnusedTerm: Enqueue<{ subscriptionId: string; amount: number }>
  /** Issues credit notes for these refunds. */
  creditRefunds: Enqueue<{ subscriptionId: string; refundIds: string[] }>
}

export function createRefundJobs({ stripe, queue, crashPoint, sync }: RefundJobDeps): RefundJobs {
  return {
    refundDuplicate: queue.defineJob<{ subscriptionId: string; since?: string }>(
      'refund-duplicate',
      async ({ subscriptionId, since }) => {
        await stripe.subscriptions.cancelNow(subscriptionId)
        crashPoint('duplicate cancelled')
        const amountDue = since ? fullAmountIf(({ paidAt }) => paidAt > new Date(since)) : undefined
        await refundAll(stripe, subscriptionId, amountDue)
        await sync(subscriptionId)
      },
    ),

    refundLate: queue.defineJob<{ subscriptionId: string }>('refund-late', async ({ subscriptionId }) => {
      const { endedAt } = await stripe.subscriptions.read(subscriptionId)
      if (endedAt) {
        const latePayments = fullAmountIf(({ paidAt }) => paidAt > endedAt)
        await refundAll(stripe, subscriptionId, latePayments)
      }
      await sync(subscriptionId)
    }),

    refundUnusedTerm: queue.defineJob<{ subscriptionId: string; amount: number }>(
      'refund-rest',
      async ({ subscriptionId, amount }) => {
        const readPayments = async () => paymentsOfLatestPeriod(await stripe.subscriptions.read(subscriptionId))

        const amountStillDueFrom = async (intent: string) => {
          const payments = await readPayments()
          const payment = payments.find(({ paymentIntentId }) => paymentIntentId === intent)
          if (!payment || !isRefundable(payment)) return 0
          let refundedSoFar = 0
          for (const each of payments) refundedSoFar += refundedForUnusedTerm(each)
          const refundableOfPayment = payment.amount - payment.refunded
          return Math.max(0, Math.min(amount - refundedSoFar, refundableOfPayment))
        }

        const notes = { forUnusedTerm: true }
        for (const { paymentIntentId } of await readPayments())
          await stripe.payments.refund(paymentIntentId, () => amountStillDueFrom(paymentIntentId), notes)
        await sync(subscriptionId)
      },
    ),

    creditRefunds: queue.defineJob<{ subscriptionId: string; refundIds: string[] }>(
      'credit-refunds',
      async ({ subscriptionId, refundIds }) => {
        await stripe.invoices.creditRefunds(subscriptionId, refundIds)
        await sync(subscriptionId)
      },
    ),
  }
}
