import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import type { Metric } from 'prom-client'
import type { DifferenceFault, ExplainedDifference } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { invoices, mrrMovements, mrrProofs, purchases } from '#server/database/schema.ts'
import { gauge } from '#server/metrics/gauge.ts'
import type { Orders } from '../orders/orders.ts'

type ProofContext = Pick<Context, 'db' | 'now' | 'stripe' | 'log' | 'catalog'>

/**
 * Compares three records of recurring revenue that share no code: the ledger, the invoices (in SQL), and the prices of
 * Stripe's own list of subscriptions.
 */
export type Proof = {
  latest(): Promise<ProofRow | undefined>
  prove(): Promise<void>
  show(): Promise<(ProofRow & { differences: (ProofRow['differences'][number] & { userId: string | null })[] }) | null>
  measures: { ofTheDatabase(): Promise<Metric[]> }
}

type ProofDeps = { orders: Orders; sync: (subscriptionId: string) => Promise<void> }
type ProofRow = typeof mrrProofs.$inferSelect
type Compared = {
  subscriptionId: string
  atStripe: number
  here: number
  kind: DifferenceFault | ExplainedDifference | null
}
type Recorded = {
  id: string
  /** The ledger's sum, in whole cents a year. */
  here: number
  /** The same sum from invoices; null after a change within a period, and for other intervals. */
  invoiced: number | null
  /** Why nothing is paid for the present time, if so. */
  free: ExplainedDifference | null
}

const batch = 1000
const [mostKept, keptFor] = [100, 90 * 86_400_000]
/** In cents a year: twelve times a rounding of tax. */
const rounding = 12

export function createProof({ db, now, stripe, log, catalog }: ProofContext, { orders, sync }: ProofDeps): Proof {
  const isAtStripe = eq(purchases.paidThrough, 'stripe')

  async function recordsOf(ids: string[]): Promise<Map<string, Recorded>> {
    if (ids.length === 0) return new Map()
    const { rows } = await db.execute<Recorded>(recordedRevenue(ids, now()))
    return new Map(rows.map((row) => [row.id, row]))
  }

  /** `listed` is null for what Stripe's list of live subscriptions lacks. */
  function compareRecords(subscriptionId: string, listed: number | null, recorded: Recorded | undefined): Compared {
    const { here = 0, invoiced = 0, free = null } = recorded ?? {}
    const atStripe = listed ?? 0
    const compared = { subscriptionId, atStripe, here }
    if (!recorded) return { ...compared, kind: 'unknown' }
    if (listed === null && here !== 0) return { ...compared, kind: 'missing' }
    if (invoiced !== null && !isAbout(invoiced, here)) return { ...compared, atStripe: invoiced, kind: 'books' }
    if (isAbout(atStripe, here)) return { ...compared, kind: null }
    return { ...compared, kind: free ?? 'next_invoice' }
  }

  /** Syncs before reporting a difference, because a webhook may have been lost. */
  async function compareAgain(id: string, listed: number | null): Promise<Compared> {
    await sync(id)
    return compareRecords(id, listed, (await recordsOf([id])).get(id))
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
      const tally = createTally()
      /** Counts a subscription that can't be read, and goes on with the others. */
      const tryAgain = (id: string, listed: number | null) =>
        compareAgain(id, listed).then(tally.count, (error: unknown) => {
          tally.total.unreadable += 1
          log.error({ err: error, subscriptionId: id }, 'could not compare a subscription with Stripe')
        })
      const seen = new Set<string>()
      for await (const page of stripe.existing.listPrices()) {
        const ids = page.map(({ id }) => id)
        const [records, known] = [await recordsOf(ids), new Set(await orders.knownOf(ids))]
        for (const { id, arr, orderId, stripeProductId } of page) {
          seen.add(id)
          const isOurs = orderId !== null && catalog.bySlug(stripeProductId) !== undefined
          // Skips subscriptions of other shops on the account, and those not taken over.
          if (!records.has(id) && !known.has(id) && !isOurs) continue
          const compared = compareRecords(id, arr, records.get(id))
          if (compared.kind) await tryAgain(id, arr)
          else tally.count(compared)
        }
      }
      for await (const id of missingFrom(seen)) await tryAgain(id, null)
      const [paidElsewhere] = await db
        .select({ arr: sql<number>`coalesce(sum(${purchases.arr}), 0)::int` })
        .from(purchases)
        .where(and(eq(purchases.paidThrough, 'hand'), gt(purchases.arr, 0)))
      await db.insert(mrrProofs).values({ at: now(), ...tally.result(), elsewhere: paidElsewhere?.arr ?? 0 })
      await db.delete(mrrProofs).where(lt(mrrProofs.at, new Date(now().getTime() - keptFor)))
      if (tally.total.differing > 0)
        log.warn(tally.result(), 'recurring revenue differs from Stripe’s list of subscriptions')
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

const isAbout = (a: number, b: number) => Math.abs(a - b) <= rounding

function createTally() {
  const total = { compared: 0, atStripe: 0, here: 0, differing: 0, unreadable: 0, unknown: 0 }
  const explained = new Map<ExplainedDifference, { count: number; arr: number }>()
  const differences: (typeof mrrProofs.$inferInsert)['differences'] = []

  return {
    total,

    count({ kind, ...found }: Compared) {
      total.compared += 1
      total.atStripe += found.atStripe
      total.here += found.here
      if (kind === 'books' || kind === 'missing' || kind === 'unknown') {
        if (kind === 'unknown') total.unknown += 1
        total.differing += 1
        if (differences.length < mostKept) differences.push({ ...found, kind })
      } else if (kind) {
        const { count, arr } = explained.get(kind) ?? { count: 0, arr: 0 }
        explained.set(kind, { count: count + 1, arr: arr + found.here - found.atStripe })
      }
    },

    result: () => ({ ...total, explained: [...explained].map(([kind, sums]) => ({ kind, ...sums })), differences }),
  }
}

/**
 * Ledger and invoices compared, a row for each known subscription. A period counts from the day it was
 * paid; past due, it counts until the subscription ends. A day's slack, as in the ledger: Stripe renews within hours.
 */
function recordedRevenue(ids: string[], at: Date) {
  return sql`
    select p.stripe_subscription_id as id,
      (select coalesce(sum(m.arr_after - m.arr_before), 0)::int from ${mrrMovements} m where m.purchase_id = p.id) as here,
      case
        when p.status in ('cancelled', 'expired') or paid.id is null then 0
        when free.kind is not null and paid.period_end < ${at}::timestamptz - interval '1 day' then 0
        when changed.id is not null or months = 0 then null
        else round(paid.period_net * 12.0 / months)::int
      end as invoiced,
      case when paid.period_end is null or paid.period_end < ${at}::timestamptz then free.kind end as free
    from ${purchases} p
    left join lateral (
      select i.* from ${invoices} i
      where i.subscription_id = p.stripe_subscription_id and i.status = 'paid' and not i.is_proration and i.period_end is not null
      order by i.period_start desc, i.period_end desc limit 1) paid on true
    left join lateral (
      select i.status from ${invoices} i
      where i.subscription_id = p.stripe_subscription_id and i.reason in ('subscription_create', 'subscription_cycle')
      order by i.created_at desc limit 1) due on true
    left join lateral (
      select i.id from ${invoices} i
      where i.subscription_id = p.stripe_subscription_id and i.status = 'paid' and i.is_proration
        and i.paid_at >= paid.paid_at limit 1) changed on true
    cross join lateral (
      select round(extract(epoch from paid.period_end - paid.period_start) / (86400 * 365.25 / 12))::int as months,
        case when p.is_collection_paused then 'not_collected' when p.status = 'paused' then 'paused'
          when due.status = 'void' then 'forgiven' when p.given_until > ${at}::timestamptz then 'given' end as kind) free
    where p.stripe_subscription_id in ${ids}`
}

function metricsOf(proof: ProofRow | undefined, now: Date): Metric[] {
  const apart = proof?.differences.reduce((sum, { atStripe, here }) => sum + Math.abs(atStripe - here), 0) ?? 0
  return [
    gauge('shop_mrr_differing', 'Subscriptions that Stripe’s own list counts differently.', proof?.differing ?? 0),
    gauge(
      'shop_mrr_difference_dollars',
      'How far monthly recurring revenue is from Stripe’s own list, without what is explained.',
      apart / 1200,
    ),
    gauge(
      'shop_mrr_proof_age_seconds',
      'How long ago it was last compared.',
      proof ? (now.getTime() - proof.at.getTime()) / 1000 : [],
    ),
  ]
}
