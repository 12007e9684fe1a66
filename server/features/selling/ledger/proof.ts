import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import type { Metric } from 'prom-client'
import { dayMs } from '#contract/dates.ts'
import type { DifferenceFault, ExplainedDifference } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { invoices, mrrMovements, mrrProofs, purchases } from '#server/database/schema.ts'
import { gauge } from '#server/metrics/gauge.ts'
import type { Orders } from '../orders/orders.ts'

type ProofContext = Pick<Context, 'db' | 'now' | 'stripe' | 'log' | 'catalog'>

/** Nightly comparison of the ledger, the invoices and Stripe's own list. Amounts are annual, in cents. */
export type Proof = {
  latest(): Promise<ProofRow | undefined>
  prove(): Promise<void>
  show(): Promise<(ProofRow & { differences: (ProofRow['differences'][number] & { userId: string | null })[] }) | null>
  measures: { ofTheDatabase(): Promise<Metric[]> }
}

type ProofDeps = { orders: Orders; sync: (subscriptionId: string) => Promise<void> }
type ProofRow = typeof mrrProofs.$inferSelect
type Comparison = {
  subscriptionId: string
  /** By Stripe's list of subscriptions; for a difference of the kind `books`, by the invoices. */
  atStripe: number
  /** Sum of the ledger. */
  here: number
  /** Null if the amounts agree. */
  kind: DifferenceFault | ExplainedDifference | null
}
type RecordedRevenue = {
  id: string
  here: number
  /** Sum by the invoices; null if they can't tell: after a change within a period, and for intervals without a plan. */
  invoiced: number | null
  unpaidReason: ExplainedDifference | null
}

const batchSize = 1000
const mostDifferencesStored = 100
const proofsKeptForMs = 90 * dayMs
/** Ignored difference, in cents a year: tax is rounded by up to a cent, twelve times a year. */
const roundingTolerance = 12

export function createProof({ db, now, stripe, log, catalog }: ProofContext, { orders, sync }: ProofDeps): Proof {
  const isAtStripe = eq(purchases.paidThrough, 'stripe')

  async function readRecorded(ids: string[]): Promise<Map<string, RecordedRevenue>> {
    if (ids.length === 0) return new Map()
    const { rows } = await db.execute<RecordedRevenue>(selectRecordedRevenue(ids, now()))
    return new Map(rows.map((row) => [row.id, row]))
  }

  /** `listedArr` is null if Stripe's list of live subscriptions lacks the subscription. */
  function compareRecords(
    subscriptionId: string,
    listedArr: number | null,
    recorded: RecordedRevenue | undefined,
  ): Comparison {
    const atStripe = listedArr ?? 0
    if (!recorded) return { subscriptionId, atStripe, here: 0, kind: 'unknown' }
    const { here, invoiced, unpaidReason } = recorded
    const amounts = { subscriptionId, atStripe, here }
    if (listedArr === null && here !== 0) return { ...amounts, kind: 'missing' }
    if (invoiced !== null && !isAboutEqual(invoiced, here)) return { ...amounts, atStripe: invoiced, kind: 'books' }
    if (isAboutEqual(atStripe, here)) return { ...amounts, kind: null }
    return { ...amounts, kind: unpaidReason ?? 'next_invoice' }
  }

  /** Syncs before a difference is reported, because a webhook may have been lost. */
  async function syncAndCompare(id: string, listedArr: number | null): Promise<Comparison> {
    await sync(id)
    return compareRecords(id, listedArr, (await readRecorded([id])).get(id))
  }

  /** Subscriptions with revenue that Stripe's list lacks, read in batches ordered by id. */
  async function* findUnlisted(listedIds: Set<string>) {
    let lastId = ''
    for (;;) {
      const rows = await db
        .select({ id: purchases.stripeSubscriptionId })
        .from(purchases)
        .where(and(isAtStripe, gt(purchases.arr, 0), gt(purchases.stripeSubscriptionId, lastId)))
        .orderBy(asc(purchases.stripeSubscriptionId))
        .limit(batchSize)
      for (const { id } of rows) if (id && !listedIds.has(id)) yield id
      if (rows.length < batchSize) return
      lastId = rows.at(-1)?.id ?? ''
    }
  }

  async function latest() {
    const [latestProof] = await db.select().from(mrrProofs).orderBy(desc(mrrProofs.at)).limit(1)
    return latestProof
  }

  return {
    latest,

    async prove() {
      const tally = createTally()
      async function syncAndCount(id: string, listedArr: number | null) {
        try {
          tally.count(await syncAndCompare(id, listedArr))
        } catch (error) {
          tally.total.unreadable += 1
          log.error({ err: error, subscriptionId: id }, 'could not compare a subscription with Stripe')
        }
      }
      const listedIds = new Set<string>()
      for await (const page of stripe.existing.listPrices()) {
        const ids = page.map(({ id }) => id)
        const recorded = await readRecorded(ids)
        const knownIds = new Set(await orders.filterKnown(ids))
        for (const { id, arr, orderId, stripeProductId } of page) {
          listedIds.add(id)
          const wasSoldHere = orderId !== null && catalog.findBySlug(stripeProductId) !== undefined
          // Skips subscriptions of other shops on the account, and those not taken over.
          if (!recorded.has(id) && !knownIds.has(id) && !wasSoldHere) continue
          const comparison = compareRecords(id, arr, recorded.get(id))
          if (comparison.kind) await syncAndCount(id, arr)
          else tally.count(comparison)
        }
      }
      for await (const id of findUnlisted(listedIds)) await syncAndCount(id, null)
      const [paidElsewhere] = await db
        .select({ arr: sql<number>`coalesce(sum(${purchases.arr}), 0)::float8` })
        .from(purchases)
        .where(and(eq(purchases.paidThrough, 'hand'), gt(purchases.arr, 0)))
      await db.insert(mrrProofs).values({ at: now(), ...tally.result(), elsewhere: paidElsewhere?.arr ?? 0 })
      await db.delete(mrrProofs).where(lt(mrrProofs.at, new Date(now().getTime() - proofsKeptForMs)))
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
      const differences = proof.differences.map((difference) => ({
        ...difference,
        userId: owners.find(({ id }) => id === difference.subscriptionId)?.userId ?? null,
      }))
      return { ...proof, differences }
    },

    measures: { ofTheDatabase: async () => metricsOf(await latest(), now()) },
  }
}

const isAboutEqual = (a: number, b: number) => Math.abs(a - b) <= roundingTolerance

function createTally() {
  const total = { compared: 0, atStripe: 0, here: 0, differing: 0, unreadable: 0, unknown: 0 }
  const explained = new Map<ExplainedDifference, { count: number; arr: number }>()
  const differences: (typeof mrrProofs.$inferInsert)['differences'] = []

  return {
    total,

    count({ kind, ...amounts }: Comparison) {
      total.compared += 1
      total.atStripe += amounts.atStripe
      total.here += amounts.here
      if (kind === 'books' || kind === 'missing' || kind === 'unknown') {
        if (kind === 'unknown') total.unknown += 1
        total.differing += 1
        if (differences.length < mostDifferencesStored) differences.push({ ...amounts, kind })
      } else if (kind) {
        const { count, arr } = explained.get(kind) ?? { count: 0, arr: 0 }
        explained.set(kind, { count: count + 1, arr: arr + amounts.here - amounts.atStripe })
      }
    },

    result: () => ({ ...total, explained: [...explained].map(([kind, sums]) => ({ kind, ...sums })), differences }),
  }
}

/** Past-due time counts until the end. Like the ledger, ignores gaps up to a day, because Stripe renews within hours. */
function selectRecordedRevenue(ids: string[], at: Date) {
  return sql`
    select p.stripe_subscription_id as id,
      (select coalesce(sum(m.arr_after - m.arr_before), 0)::int from ${mrrMovements} m where m.purchase_id = p.id) as here,
      case
        when p.status in ('cancelled', 'expired') or latest_paid.id is null then 0
        when present.unpaid_reason is not null and latest_paid.period_end < ${at}::timestamptz - interval '1 day' then 0
        when later_proration.id is not null or present.months = 0 then null
        else round(latest_paid.period_net * 12.0 / present.months)::int
      end as invoiced,
      case when latest_paid.period_end is null or latest_paid.period_end < ${at}::timestamptz
        then present.unpaid_reason end as "unpaidReason"
    from ${purchases} p
    left join lateral (
      select i.* from ${invoices} i
      where i.subscription_id = p.stripe_subscription_id and i.status = 'paid' and not i.is_proration and i.period_end is not null
      order by i.period_start desc, i.period_end desc limit 1) latest_paid on true
    left join lateral (
      select i.status from ${invoices} i
      where i.subscription_id = p.stripe_subscription_id and i.reason in ('subscription_create', 'subscription_cycle')
      order by i.created_at desc limit 1) latest_billed on true
    left join lateral (
      select i.id from ${invoices} i
      where i.subscription_id = p.stripe_subscription_id and i.status = 'paid' and i.is_proration
        and i.paid_at >= latest_paid.paid_at limit 1) later_proration on true
    cross join lateral (
      select round(extract(epoch from latest_paid.period_end - latest_paid.period_start) / (86400 * 365.25 / 12))::int as months,
        case when p.is_collection_paused then 'not_collected' when p.status = 'paused' then 'paused'
          when latest_billed.status = 'void' then 'forgiven'
          when p.given_until > ${at}::timestamptz then 'given' end as unpaid_reason) present
    where p.stripe_subscription_id in ${ids}`
}

function metricsOf(proof: ProofRow | undefined, now: Date): Metric[] {
  let centsPerYear = 0
  for (const { atStripe, here } of proof?.differences ?? []) centsPerYear += Math.abs(atStripe - here)
  const dollarsPerMonth = centsPerYear / (100 * 12)
  return [
    gauge('shop_mrr_differing', 'Subscriptions that Stripe’s own list counts differently.', proof?.differing ?? 0),
    gauge(
      'shop_mrr_difference_dollars',
      'How far monthly recurring revenue is from Stripe’s own list, without what is explained.',
      dollarsPerMonth,
    ),
    gauge(
      'shop_mrr_proof_age_seconds',
      'How long ago it was last compared.',
      proof ? (now.getTime() - proof.at.getTime()) / 1000 : [],
    ),
  ]
}
