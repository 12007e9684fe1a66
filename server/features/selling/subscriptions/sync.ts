import { coalesce } from '#server/concurrency/coalesce.ts'
import type { Context } from '#server/context.ts'
import { isUnknownToStripe, type Subscription } from '#server/gateways/stripe.ts'
import { reversalOf } from '../invoices/invoices.ts'
import { createRefundJobs, type RefundJobs } from '../refunds/refunds.ts'
import { type ApplyDeps, createApply } from './apply.ts'
import type { Missing } from './missing.ts'
import { createRecovery } from './recovery.ts'

/** Brings the shop's view of a subscription in line with Stripe's. Does nothing about one that is not this shop's. */
export type Sync = (subscriptionId: string) => Promise<void>

type SyncDeps = Omit<ApplyDeps, keyof RefundJobs> &
  Pick<Context, 'db' | 'stripe' | 'queue' | 'catalog' | 'crashPoint'> & { missing: Pick<Missing, 'mark'> }

/**
 * Brings the shop's view of a subscription in line with Stripe's, once, however many ask: webhook, buyer, admin or
 * reconciler. Stripe is called outside any transaction. If the row's version shows that someone else wrote in the
 * meantime, we ask again, so every write holds a newer answer than the one before.
 */
export function createSync(deps: SyncDeps): Sync {
  const { db, stripe, queue, crashPoint, orders, missing } = deps
  const recover = createRecovery(deps)
  const sync = coalesce(syncOnce)

  const apply = createApply({ ...deps, ...createRefundJobs({ stripe, queue, crashPoint, sync }) })

  async function syncOnce(subscriptionId: string) {
    for (;;) {
      const known = (await orders.findBySubscription(subscriptionId)) ?? (await recover(subscriptionId))
      if (!known) return
      const answer = await settleAtStripe(subscriptionId).catch((error: unknown) => {
        if (!isUnknownToStripe(error)) throw error
      })
      if (!answer) return missing.mark(known)
      crashPoint('sync before commit')
      const isNewest = await db.transaction((tx) => apply(tx, known, answer))
      crashPoint('sync after commit')
      if (isNewest) return
    }
  }

  /** Ends reversed subscriptions at Stripe, and voids open invoices of ended ones. */
  async function settleAtStripe(subscriptionId: string): Promise<Subscription> {
    const answer = await stripe.subscriptions.read(subscriptionId)
    const mustEnd = reversalOf(answer) && !answer.endedAt
    const isDue = answer.openInvoice || answer.dueInvoice?.status === 'draft'
    const mustVoid = (mustEnd || answer.endedAt) && isDue
    // Gives up a switch whose subscription can no longer be switched.
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
