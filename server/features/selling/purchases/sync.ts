import { coalesce } from '#server/concurrency/coalesce.ts'
import type { Context } from '#server/context.ts'
import { isUnknownToStripe, type Payment, type StripeGateway, type Subscription } from '#server/gateways/stripe.ts'
import { type ApplyDependencies, createApply } from './apply.ts'
import type { Missing } from './missing.ts'
import { createRecovery } from './recovery.ts'
import { canGoBack } from './refundable.ts'
import { moneyIsBack, paymentsOfPeriod, refundedAsRest } from './state.ts'

export type DueOf = (payment: Payment, answer: Subscription) => number

export const whole =
  (isMeant: (payment: Payment) => boolean): DueOf =>
  (payment) =>
    isMeant(payment) ? payment.amount : 0

export type Sync = ReturnType<typeof createSync>

type Others = Omit<ApplyDependencies, 'payBack' | 'payBackLate' | 'payBackRest' | 'creditRefunds'> & {
  missing: Missing
}

/**
 * Brings the shop's view of a subscription in line with Stripe's, once, however many ask: webhook, buyer, admin or
 * reconciler. Stripe is called outside any transaction. If the row's version shows that someone else wrote in the
 * meantime, we ask again, so every write holds a newer answer than the one before.
 */
export function createSync(context: Context, others: Others) {
  const { db, stripe, queue, crashPoint } = context
  const { orders, missing } = others
  const recover = createRecovery({ ...context, orders })
  const sync = coalesce(syncOnce)

  /** What was paid for nothing; for a second subscription, first of all. */
  const payBack = queue.job<{ subscriptionId: string; since?: string }>(
    'pay-back-duplicate',
    async ({ subscriptionId, since }) => {
      await stripe.subscriptions.cancelNow(subscriptionId)
      crashPoint('duplicate cancelled')
      await payBackAll(stripe, subscriptionId, since ? whole(({ paidAt }) => paidAt > new Date(since)) : undefined)
      await sync(subscriptionId)
    },
  )

  /** What arrived after it had ended: it bought nothing. */
  const payBackLate = queue.job<{ subscriptionId: string }>('pay-back-late', async ({ subscriptionId }) => {
    const { endedAt } = await stripe.subscriptions.read(subscriptionId)
    if (endedAt)
      await payBackAll(
        stripe,
        subscriptionId,
        whole(({ paidAt }) => paidAt > endedAt),
      )
    await sync(subscriptionId)
  })

  /** What a month's notice left of a paid year. */
  const payBackRest = queue.job<{ subscriptionId: string; amount: number }>(
    'pay-back-rest',
    async ({ subscriptionId, amount }) => {
      const ofPeriod = async () => paymentsOfPeriod(await stripe.subscriptions.read(subscriptionId))
      for (const { paymentIntentId: intent } of await ofPeriod())
        await stripe.payments.refund(
          intent,
          async () => {
            const payments = await ofPeriod()
            const current = payments.find(({ paymentIntentId }) => paymentIntentId === intent)
            const promised = amount - payments.reduce((total, payment) => total + refundedAsRest(payment), 0)
            return current && canGoBack(current)
              ? Math.max(0, Math.min(promised, current.amount - current.refunded))
              : 0
          },
          { purpose: restOfPeriod(subscriptionId) },
        )
      await sync(subscriptionId)
    },
  )

  /** Anyone who gets money back gets a credit note for their books. */
  const creditRefunds = queue.job<{ subscriptionId: string }>('credit-refunds', async ({ subscriptionId }) => {
    await stripe.invoices.creditRefunds(subscriptionId)
    await sync(subscriptionId)
  })

  const apply = createApply(context, { ...others, payBack, payBackLate, payBackRest, creditRefunds })

  async function syncOnce(subscriptionId: string) {
    for (;;) {
      const known = (await orders.ofSubscription(subscriptionId)) ?? (await recover(subscriptionId))
      if (!known) return
      const answer = await settled(subscriptionId).catch((error: unknown) => {
        if (!isUnknownToStripe(error)) throw error
      })
      if (!answer) return missing.mark(known)
      crashPoint('sync before commit')
      const isNewest = await db.transaction((tx) => apply(tx, known, answer))
      crashPoint('sync after commit')
      if (isNewest) return
    }
  }

  /** At Stripe first: a refunded subscription never renews, and one that has ended can't be paid. */
  async function settled(subscriptionId: string): Promise<Subscription> {
    const answer = await stripe.subscriptions.read(subscriptionId)
    const mustEnd = moneyIsBack(answer) && !answer.endedAt
    const isDue = answer.openInvoice || answer.dueInvoice?.status === 'draft'
    const mustVoid = (mustEnd || answer.endedAt) && isDue
    // A switch waits for its payment only as long as it could still be ordered.
    const mustDrop =
      answer.pending &&
      (answer.endsAt || answer.status !== 'active' || answer.payments.some(({ dispute }) => dispute === 'open'))
    if (!mustEnd && !mustVoid && !mustDrop) return answer
    if (mustDrop) await stripe.planSwitches.drop(answer)
    if (mustEnd) await stripe.subscriptions.cancelNow(subscriptionId)
    if (mustVoid) await stripe.invoices.voidOpen(subscriptionId)
    crashPoint('ended at Stripe')
    return stripe.subscriptions.read(subscriptionId)
  }

  return sync
}

/** It goes back once, by a promise or by the seller's hand. */
export const restOfPeriod = (subscriptionId: string) => `rest of ${subscriptionId}`

/** Refunds what is due of every payment for a subscription, if it can go back. Safe to repeat: what is back is not left. */
export async function payBackAll(stripe: StripeGateway, subscriptionId: string, dueOf: DueOf = ({ amount }) => amount) {
  const left = async () => {
    const answer = await stripe.subscriptions.read(subscriptionId)
    return answer.payments.flatMap((payment) => {
      const { paymentIntentId, refunded } = payment
      const amount = canGoBack(payment) ? dueOf(payment, answer) - refunded : 0
      return amount > 0 ? { paymentIntentId, amount } : []
    })
  }
  for (const { paymentIntentId } of await left())
    await stripe.payments.refund(paymentIntentId, async () => {
      const payment = (await left()).find((each) => each.paymentIntentId === paymentIntentId)
      return payment?.amount ?? 0
    })
}
