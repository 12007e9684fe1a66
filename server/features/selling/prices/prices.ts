import { and, asc, desc, eq, inArray, lte, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import { type BillingType, planOf, plansWithPrice } from '#contract/plans.ts'
import type { prices as calls, Publication, PublishPriceInput } from '#contract/selling/prices.ts'
import type { PricesByProduct } from '#contract/site/site-settings.ts'
import { liveStatuses } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { prices, purchases } from '#server/database/schema.ts'
import { conflict, invalid, notFound } from '#server/errors.ts'
import type { WantedPrice } from '#server/gateways/stripe.ts'
import type { Catalog, Product } from '../catalog/catalog.ts'

type PriceDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'audit' | 'catalog'>

/** Prices of new subscriptions. A running subscription keeps the price it began with. */
export type Prices = {
  /** Throws 404 for a plan that the product does not sell. */
  current(productId: string, billingType: BillingType): Promise<Price>
  forPages(): Promise<PricesByProduct>
  stripeIdOf(price: Price): Promise<string>
  recreate(price: Price): Promise<string>
  /** Creates missing prices at Stripe, so that the first buyer doesn't have to wait. */
  ensureAll(onError: (error: unknown) => void): Promise<void>
  expectedAtStripe(): Promise<WantedPrice[]>
  list(): Promise<RawOutputOf<typeof calls.adminList>>
  /** Creates the price at Stripe before the row, so that every shown price can be bought. */
  publish(actor: Actor, wish: PublishPriceInput): Promise<void>
}

export type Price = typeof prices.$inferSelect

/** Keeps prices that were published before, because the file only has the first one. */
export async function publishInitialPrices(db: Database, products: Product[]) {
  const rows = products.flatMap(({ id: productId, prices: amounts, regular }) =>
    plansWithPrice(amounts).map(({ key: billingType, price: amount }) => ({
      productId,
      billingType,
      number: 1,
      amount,
      regularAmount: regular?.[billingType] ?? null,
      // Applies to any earlier date, too.
      startsAt: new Date(0),
    })),
  )
  await db.insert(prices).values(rows).onConflictDoNothing()
}

const currentPrices = (db: Database, at: Date) =>
  db
    .selectDistinctOn([prices.productId, prices.billingType])
    .from(prices)
    .where(lte(prices.startsAt, at))
    .orderBy(prices.productId, prices.billingType, desc(prices.number))

export async function pricesForPages(db: Database, catalog: Catalog, at: Date): Promise<PricesByProduct> {
  const rows = await currentPrices(db, at)
  const priceOf = (id: string, billing: BillingType) => {
    const price = rows.find(({ productId, billingType }) => productId === id && billingType === billing)
    if (!price) throw new Error(`No ${billing} price for the product ${id}`)
    return price
  }
  const pricesByProduct: PricesByProduct = {}
  for (const { id, slug, prices: initialPrices } of catalog.products()) {
    const pricesByPlan: PricesByProduct[string] = {}
    for (const { key } of plansWithPrice(initialPrices)) {
      const { amount, regularAmount: regular } = priceOf(id, key)
      pricesByPlan[key] = { amount, regular }
    }
    pricesByProduct[slug] = pricesByPlan
  }
  return pricesByProduct
}

/** Expects the newest row first. A newer row calls off older ones that start at the same time or later. */
function withStates(rows: Price[], at: Date): (Price & { state: Publication['state'] })[] {
  let earliestStart = Number.POSITIVE_INFINITY
  let hasCurrent = false
  return rows.map((row) => {
    const startsAt = row.startsAt.getTime()
    if (startsAt >= earliestStart) return { ...row, state: 'called off' }
    earliestStart = startsAt
    if (row.startsAt > at) return { ...row, state: 'planned' }
    const state = hasCurrent ? 'past' : 'current'
    hasCurrent = true
    return { ...row, state }
  })
}

async function readPlanHistories(db: Database, catalog: Catalog, at: Date) {
  const productIds = catalog.products().map(({ id }) => id)
  const rows = await db
    .select()
    .from(prices)
    .where(inArray(prices.productId, productIds))
    .orderBy(asc(prices.billingType), desc(prices.number))
  return catalog.products().flatMap((product) =>
    plansWithPrice(product.prices).map(({ key: billingType }) => {
      const planRows = rows.filter((row) => row.productId === product.id && row.billingType === billingType)
      return { productId: product.id, product: product.name, billingType, rows: withStates(planRows, at) }
    }),
  )
}

const countSubscriptionsByPrice = (db: Database) =>
  db
    .select({
      productId: purchases.productId,
      billingType: purchases.billingType,
      amount: purchases.price,
      count: sql<number>`count(*)::int`,
    })
    .from(purchases)
    .where(and(inArray(purchases.status, [...liveStatuses]), sql`${purchases.bookedAs} is null`))
    .groupBy(purchases.productId, purchases.billingType, purchases.price)
    .orderBy(desc(purchases.price))

export function createPrices({ db, now, stripe, audit, catalog }: PriceDeps): Prices {
  function expectedPrice({ productId, billingType, number, amount }: Omit<Price, 'stripePriceId'>): WantedPrice {
    const product = catalog.findById(productId)
    if (!product) throw notFound('Product')
    const { slug, name } = product
    const { interval, intervalCount } = planOf(billingType)
    const numberSuffix = number === 1 ? '' : `-${number}`
    return {
      lookupKey: `${slug}-${billingType}${numberSuffix}`,
      product: { id: slug, name },
      amount,
      interval,
      intervalCount,
    }
  }

  /** The price may be new, archived at Stripe, or in another account. */
  async function ensure(price: Price): Promise<string> {
    const stripePriceId = await stripe.prices.ensure(expectedPrice(price))
    const { productId, billingType, number } = price
    if (stripePriceId !== price.stripePriceId)
      await db
        .update(prices)
        .set({ stripePriceId })
        .where(and(eq(prices.productId, productId), eq(prices.billingType, billingType), eq(prices.number, number)))
    return stripePriceId
  }

  async function listCurrentAndPlanned() {
    const plans = await readPlanHistories(db, catalog, now())
    return plans.flatMap(({ rows }) => rows.filter(({ state }) => state === 'current' || state === 'planned'))
  }

  return {
    async current(productId, billingType) {
      const isSold = catalog.findById(productId)?.prices[billingType] !== undefined
      const rows = await currentPrices(db, now())
      const price = rows.find((row) => row.productId === productId && row.billingType === billingType)
      if (!price || !isSold) throw notFound('Price')
      return price
    },

    forPages: () => pricesForPages(db, catalog, now()),

    stripeIdOf: async (price) => price.stripePriceId ?? (await ensure(price)),

    recreate: ensure,

    async ensureAll(onError) {
      for (const price of await listCurrentAndPlanned()) await ensure(price).catch(onError)
    },

    expectedAtStripe: async () => (await listCurrentAndPlanned()).map(expectedPrice),

    async list() {
      const subscriptionCounts = await countSubscriptionsByPrice(db)
      const plans = await readPlanHistories(db, catalog, now())
      return plans.map(({ rows, ...plan }) => ({
        ...plan,
        subscriptions: subscriptionCounts.filter(
          (each) => each.productId === plan.productId && each.billingType === plan.billingType,
        ),
        // The first row comes from the product's file and has no real start.
        publications: rows.map((row) => ({ ...row, startsAt: row.number === 1 ? null : row.startsAt })),
      }))
    },

    /** `after` is the newest number that the seller saw. The table's key refuses a taken number. */
    async publish(actor, { productId, billingType, amount, regularAmount, from, after }) {
      const product = catalog.findById(productId)
      if (product?.prices[billingType] === undefined) throw notFound('Product')
      const startsAt = from ?? now()
      if (from && startsAt <= now()) throw invalid('from', 'Please choose a day that is still to come')
      if (startsAt.getTime() > now().getTime() + 366 * dayMs) throw invalid('from', 'A year from now at most')
      if (regularAmount && regularAmount <= amount)
        throw invalid('regularAmount', 'The regular price must be higher. Leave it empty if there is none.')
      const row = {
        productId,
        billingType,
        number: after + 1,
        amount,
        regularAmount: regularAmount ?? null,
        startsAt,
        publishedAt: now(),
      }
      const stripePriceId = await stripe.prices.ensure(expectedPrice(row))
      const publishing = db.transaction(async (tx) => {
        const [published] = await tx
          .insert(prices)
          .values({ ...row, stripePriceId })
          .onConflictDoNothing()
          .returning()
        if (!published)
          throw conflict('changed-meanwhile', 'Someone has just published another price. Please look again.')
        await audit.record(tx, actor, {
          action: 'price.publish',
          subject: `${product.slug} ${billingType}`,
          detail: { amount, regularAmount: row.regularAmount, startsAt: startsAt.toISOString() },
        })
      })
      await publishing.catch(async (error: unknown) => {
        // If someone else published this number first, moves the lookup key at Stripe back to their price.
        const hasSameNumber = and(eq(prices.billingType, billingType), eq(prices.number, row.number))
        const [otherPrice] = await db
          .select()
          .from(prices)
          .where(and(eq(prices.productId, productId), hasSameNumber))
        if (otherPrice) await ensure(otherPrice)
        throw error
      })
    },
  }
}
