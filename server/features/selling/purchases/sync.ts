import { coalesce } from '#server/concurrency/coalesce.ts'
import type { Database } from '#server/database/connect.ts'
import type { StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import type { Queue } from '#server/jobs/queue.ts'
import { type ApplyDependencies, createApply } from './apply.ts'
import { createPayBackJobs } from './pay-back.ts'
import { isPayable, moneyIsBack } from './state.ts'

type Dependencies = ApplyDependencies & {
  db: Database
  stripe: StripeGateway
  queue: Queue
  /** Where a test may kill the process; does nothing in production. */
  crashPoint: (name: string) => void
}

/**
 * Brings the shop's view of a subscription in line with Stripe's, once, whoever asks: webhook, buyer, admin or
 * reconciler. Stripe is called outside any transaction. If the row's version shows that someone else wrote in the
 * meantime, we ask again, so every write holds a newer answer than the one before.
 */
export function createSync(deps: Dependencies) {
  const { db, stripe, queue, checkouts, crashPoint } = deps
  const sync = coalesce(syncOnce)
  const apply = createApply({ ...deps, ...createPayBackJobs({ stripe, queue, sync, crashPoint }) })

  async function syncOnce(subscriptionId: string) {
    for (;;) {
      const known = await checkouts.ofSubscription(subscriptionId)
      if (!known) return
      const answer = await settled(subscriptionId)
      crashPoint('sync before commit')
      const isNewest = await db.transaction((tx) => apply(tx, known, answer))
      crashPoint('sync after commit')
      if (isNewest) return
    }
  }

  /** At Stripe first: a refunded subscription never renews, and one that has ended can't be paid. */
  async function settled(subscriptionId: string): Promise<Subscription> {
    const answer = await stripe.subscription(subscriptionId)
    const mustEnd = moneyIsBack(answer) && !answer.endedAt
    const mustVoid = (mustEnd || answer.endedAt) && isPayable(answer)
    if (!mustEnd && !mustVoid) return answer
    if (mustEnd) await stripe.cancelNow(subscriptionId)
    if (mustVoid) await stripe.voidOpenInvoices(subscriptionId)
    crashPoint('ended at Stripe')
    return stripe.subscription(subscriptionId)
  }

  return sync
}
