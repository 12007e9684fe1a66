import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Metric } from 'prom-client'
import type { Context } from '#server/context.ts'
import { mrrMovements, mrrProofs, purchases } from '#server/database/schema.ts'
import { StripeRefusal } from '#server/gateways/stripe.ts'
import { gauge } from '#server/metrics/gauge.ts'
import type { Checkouts } from '../checkout/checkout.ts'
import { arrOf, movementsOf } from './movements.ts'

type Others = { checkouts: Checkouts; sync: (subscriptionId: string) => Promise<void> }
type Difference = (typeof mrrProofs.$inferSelect)['differences'][number]

const batch = 1000
const [mostKept, keptFor] = [100, 90 * 86_400_000]

/** Recurring revenue, compared with what the newest paid invoices of Stripe's own list cost a year. */
export function createProof({ db, now, stripe, log }: Context, { checkouts, sync }: Others) {
  const isAtStripe = isNotNull(purchases.stripeSubscriptionId)

  /** The sum of each subscription's movements. */
  async function here(ids: string[]) {
    const { arrAfter, arrBefore, purchaseId } = mrrMovements
    const rows = await db
      .select({
        id: purchases.stripeSubscriptionId,
        arr: sql<number>`coalesce(sum(${arrAfter} - ${arrBefore}), 0)::int`,
      })
      .from(purchases)
      .leftJoin(mrrMovements, eq(purchaseId, purchases.id))
      .where(inArray(purchases.stripeSubscriptionId, ids))
      .groupBy(purchases.id)
    return new Map(rows.map(({ id, arr }) => [id ?? '', arr]))
  }

  async function historyOf(id: string): Promise<number> {
    try {
      const answer = await stripe.subscriptions.read(id)
      const end = answer.endedAt && { at: answer.endedAt, cause: 'cancelled' as const }
      return arrOf(movementsOf(answer, end, now()))
    } catch (error) {
      if (isMissing(error)) return 0
      throw error
    }
  }

  /** What the list can't settle: a message may have been lost, or a change counts only once it is paid. */
  async function compareOne(id: string): Promise<Difference> {
    await sync(id).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    const arr = (await here([id])).get(id) ?? 0
    return { subscriptionId: id, atStripe: await historyOf(id), here: arr }
  }

  async function* missingFrom(seen: Set<string>) {
    for (let after = ''; ; ) {
      const rows = await db
        .select({ id: purchases.stripeSubscriptionId })
        .from(purchases)
        .where(and(isAtStripe, gt(purchases.arr, 0), gt(purchases.stripeSubscriptionId, after)))
        .orderBy(asc(purchases.stripeSubscriptionId))
        .limit(batch)
      for (const { id } of rows) if (id && !seen.has(id)) yield id
      if (rows.length < batch) return
      after = rows.at(-1)?.id ?? ''
    }
  }

  const latest = async () => (await db.select().from(mrrProofs).orderBy(desc(mrrProofs.at)).limit(1))[0]

  return {
    latest,

    async prove() {
      const total = { compared: 0, atStripe: 0, here: 0, differing: 0, unreadable: 0 }
      /** One subscription that can't be read doesn't keep the others from being compared. */
      const tryToCompare = (id: string) =>
        compareOne(id).catch((error: unknown) => {
          total.unreadable += 1
          log.error({ err: error, subscriptionId: id }, 'could not compare a subscription with Stripe')
          return null
        })
      const differences: Difference[] = []
      function count(found: Difference | null) {
        if (!found) return
        total.compared += 1
        total.atStripe += found.atStripe
        total.here += found.here
        if (found.atStripe === found.here) return
        total.differing += 1
        if (differences.length < mostKept) differences.push(found)
      }
      const seen = new Set<string>()
      for await (const page of stripe.existing.revenue()) {
        const ids = page.map(({ id }) => id)
        const [ours, known] = [await here(ids), new Set(await checkouts.adopted.knownOf(ids))]
        for (const { id, arr } of page) {
          seen.add(id)
          // What another shop sells from this account, or what was not taken over.
          if (!ours.has(id) && !known.has(id)) continue
          const isSame = arr !== null && ours.get(id) === arr
          count(isSame ? { subscriptionId: id, atStripe: arr, here: arr } : await tryToCompare(id))
        }
      }
      for await (const id of missingFrom(seen)) count(await tryToCompare(id))
      const [paidElsewhere] = await db
        .select({ arr: sql<number>`coalesce(sum(${purchases.arr}), 0)::int` })
        .from(purchases)
        .where(and(isNull(purchases.stripeSubscriptionId), gt(purchases.arr, 0)))
      await db.insert(mrrProofs).values({ at: now(), ...total, elsewhere: paidElsewhere?.arr ?? 0, differences })
      await db.delete(mrrProofs).where(lt(mrrProofs.at, new Date(now().getTime() - keptFor)))
      if (total.differing > 0)
        log.warn({ ...total, differences }, 'recurring revenue differs from Stripe’s list of subscriptions')
    },

    async show() {
      const proof = await latest()
      if (!proof) return null
      const ids = proof.differences.map(({ subscriptionId }) => subscriptionId)
      const owners = await db
        .select({ id: purchases.stripeSubscriptionId, userId: purchases.userId })
        .from(purchases)
        .where(inArray(purchases.stripeSubscriptionId, ids))
      const differences = proof.differences.map((each) => ({
        ...each,
        userId: owners.find(({ id }) => id === each.subscriptionId)?.userId ?? null,
      }))
      return { ...proof, differences }
    },

    measures: { ofTheDatabase: async () => metricsOf(await latest(), now()) },
  }
}

const isMissing = (error: unknown) => error instanceof StripeRefusal && error.fault.code === 'resource_missing'

function metricsOf(proof: typeof mrrProofs.$inferSelect | undefined, now: Date): Metric[] {
  return [
    gauge('shop_mrr_differing', 'Subscriptions that Stripe’s own list counts differently.', proof?.differing ?? 0),
    gauge(
      'shop_mrr_difference_dollars',
      'How far monthly recurring revenue is from Stripe’s own list.',
      proof ? Math.abs(proof.atStripe - proof.here) / 1200 : 0,
    ),
    gauge(
      'shop_mrr_proof_age_seconds',
      'How long ago it was last compared.',
      proof ? (now.getTime() - proof.at.getTime()) / 1000 : [],
    ),
  ]
}
