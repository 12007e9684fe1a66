import { coalesce } from '#server/concurrency/coalesce.ts'
import type { Context } from '#server/context.ts'
import { isUnknownToStripe, type Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import { reversalOf } from '../invoices/invoices.ts'
import { createRefundJobs, type RefundJobs } from '../refunds/refunds.ts'
import { type ApplyDeps, createApply } from './apply.ts'
import type { MissingPurchases } from './missing.ts'
import { createRecovery } from './recovery.ts'

/** Ignores subscriptions of other shops. */
export type Sync = (subscriptionId: string) => Promise<void>

type SyncDeps = Omit<ApplyDeps, keyof RefundJobs> &
  Pick<Context, 'db' | 'stripe' | 'queue' | 'catalog' | 'crashPoint'> & {
    codes: Pick<Codes, 'use' | 'findByCoupons' | 'recordLostUse'>
    missingPurchases: Pick<MissingPurchases, 'mark'>
  }

/** Called concurrently. Reads Stripe again if another process wrote meanwhile, so an older state never replaces a newer one. */
export function createSync(deps: SyncDeps): Sync {
  const { db, stripe, queue, crashPoint, orders, missingPurchases } = deps
  const recover = createRecovery(deps)
  const sync = coalesce(syncOnce)

  const apply = createApply({ ...deps, ...createRefundJobs({ stripe, queue, crashPoint, sync }) })

  async function syncOnce(subscriptionId: string) {
    for (;;) {
      const order = (await orders.findBySubscription(subscriptionId)) ?? (await recover(subscriptionId))
      if (!order) return
      const subscription = await settleAtStripe(subscriptionId).catch((error: unknown) => {
        if (!isUnknownToStripe(error)) throw error
      })
      if (!subscription) return missingPurchases.mark(order)
      crashPoint('sync before commit')
      const isNewest = await db.transaction((tx) => apply(tx, order, subscription))
      crashPoint('sync after commit')
      if (isNewest) return
    }
  }

  /** Changes at Stripe what the shop's rules demand, before the result is recorded. */
  async function settleAtStripe(subscriptionId: string): Promise<Subscription> {
    const subscription = await stripe.subscriptions.read(subscriptionId)
    const { endedAt, endsAt, openInvoice, latestPeriodInvoice, status, payments, pending } = subscription
    const mustEnd = endedAt === null && reversalOf(subscription) !== undefined

    // After the end, a draft or an open invoice could still be charged.
    const willHaveEnded = mustEnd || endedAt !== null
    const hasUnpaidInvoice = openInvoice !== null || latestPeriodInvoice?.status === 'draft'
    const mustVoidInvoices = willHaveEnded && hasUnpaidInvoice

    // A pending plan switch waits for the buyer's bank, and may be confirmed much later.
    const hasOpenDispute = payments.some(({ dispute }) => dispute === 'open')
    const maySwitch = status === 'active' && endsAt === null && !hasOpenDispute
    const mustDropSwitch = pending !== null && !maySwitch

    if (!mustEnd && !mustVoidInvoices && !mustDropSwitch) return subscription
    if (mustDropSwitch) await stripe.planSwitches.drop(subscription)
    if (mustEnd) await stripe.subscriptions.cancelNow(subscriptionId)
    if (mustVoidInvoices) await stripe.invoices.voidOpen(subscriptionId)
    crashPoint('ended at Stripe')
    return stripe.subscriptions.read(subscriptionId)
  }

  return sync
}
