import { and, asc, desc, eq, inArray, lte, sql } from 'drizzle-orm'
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
  of(productId: string, billingType: BillingType): Promise<Price>
  shown(): Promise<PricesByProduct>
  stripeIdOf(price: Price): Promise<string>
  /** Recreates a price that was archived at Stripe. */
  renew(price: Price): Promise<string>
  /** At startup, so the first buyer doesn't have to wait. The shop starts even if Stripe is down. */
  ensureAll(onError: (error: unknown) => void): Promise<void>
  wanted(): Promise<WantedPrice[]>
  list(): Promise<RawOutputOf<typeof calls.adminList>>
  /** Creates Stripe's price before the row, so that a price that is shown can be bought. */
  publish(actor: Actor, wish: PublishPriceInput): Promise<void>
}

export type Price = typeof prices.$inferSelect

/** Stores the files' prices as first rows. Afterward only rows count. */
export const publishFirst = (db: Database, products: Product[]) =>
  db
    .insert(prices)
    .values(
      products.flatMap(({ id: productId, prices: amounts, regular }) =>
        plansWithPrice(amounts).map(({ key: billingType, price: amount }) => ({
          productId,
          billingType,
          number: 1,
          amount,
          regularAmount: regular?.[billingType] ?? null,
          // Prices applied before there were rows, too.
          startsAt: new Date(0),
        })),
      ),
    )
    .onConflictDoNothing()

const currentPrices = (db: Database, at: Date) =>
  db
    .selectDistinctOn([prices.productId, prices.billingType])
    .from(prices)
    .where(lte(prices.startsAt, at))
    .orderBy(prices.productId, prices.billingType, desc(prices.number))

/** Prices of pages by slug, in cents. */
export async function shownPrices(db: Database, catalog: Catalog, at: Date): Promise<PricesByProduct> {
  const rows = await currentPrices(db, at)
  const priceOf = (id: string, billing: BillingType) => {
    const price = rows.find(({ productId, billingType }) => productId === id && billingType === billing)
    if (!price) throw new Error(`No ${billing} price for the product ${id}`)
    return price
  }
  return Object.fromEntries(
    catalog.products().map(({ id, slug, prices: sold }) => {
      const shown = plansWithPrice(sold).map(({ key }) => {
        const { amount, regularAmount: regular } = priceOf(id, key)
        return [key, { amount, regular }]
      })
      return [slug, Object.fromEntries(shown)]
    }),
  )
}

/** A plan's rows with their states, newest first. A newer row replaces scheduled ones. */
function withStates(rows: Price[], at: Date): (Price & { state: Publication['state'] })[] {
  let earliest = Number.POSITIVE_INFINITY
  let hasCurrent = false
  return rows.map((row) => {
    const startsAt = row.startsAt.getTime()
    if (startsAt >= earliest) return { ...row, state: 'called off' }
    earliest = startsAt
    if (row.startsAt > at) return { ...row, state: 'planned' }
    const state = hasCurrent ? 'past' : 'current'
    hasCurrent = true
    return { ...row, state }
  })
}

async function history(db: Database, catalog: Catalog, at: Date) {
  const rows = await db
    .select()
    .from(prices)
    .where(
      inArray(
        prices.productId,
        catalog.products().map(({ id }) => id),
      ),
    )
    .orderBy(asc(prices.billingType), desc(prices.number))
  return catalog.products().flatMap(({ id, name, prices: sold }) =>
    plansWithPrice(sold).map(({ key: billingType }) => ({
      productId: id,
      product: name,
      billingType,
      rows: withStates(
        rows.filter((row) => row.productId === id && row.billingType === billingType),
        at,
      ),
    })),
  )
}

/** Running subscriptions at Stripe, counted by amount. */
const subscriptionsByPrice = (db: Database) =>
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

const day = 86_400_000

export function createPrices({ db, now, stripe, audit, catalog }: PriceDeps): Prices {
  /** Price at Stripe for a row, under a lookup key of its own. */
  function wantedPrice({ productId, billingType, number, amount }: Omit<Price, 'stripePriceId'>): WantedPrice {
    const product = catalog.byId(productId)
    if (!product) throw notFound('Product')
    const { slug, name } = product
    const { interval, intervalCount } = planOf(billingType)
    return {
      lookupKey: `${slug}-${billingType}${number === 1 ? '' : `-${number}`}`,
      product: { id: slug, name },
      amount,
      interval,
      intervalCount,
    }
  }

  /** Finds or creates the price at Stripe: it may be new, archived, or in another account. */
  async function ensure(price: Price): Promise<string> {
    const stripePriceId = await stripe.prices.ensure(wantedPrice(price))
    const { productId, billingType, number } = price
    if (stripePriceId !== price.stripePriceId)
      await db
        .update(prices)
        .set({ stripePriceId })
        .where(and(eq(prices.productId, productId), eq(prices.billingType, billingType), eq(prices.number, number)))
    return stripePriceId
  }

  const offered = async () =>
    (await history(db, catalog, now())).flatMap(({ rows }) => rows.filter(({ state }) => /current|planned/.test(state)))

  return {
    async of(productId, billingType) {
      const isSold = catalog.byId(productId)?.prices[billingType] !== undefined
      const price = (await currentPrices(db, now())).find(
        (row) => row.productId === productId && row.billingType === billingType,
      )
      if (!price || !isSold) throw notFound('Price')
      return price
    },

    shown: () => shownPrices(db, catalog, now()),

    stripeIdOf: async (price) => price.stripePriceId ?? (await ensure(price)),

    renew: ensure,

    async ensureAll(onError) {
      for (const price of await offered()) await ensure(price).catch(onError)
    },

    wanted: async () => (await offered()).map(wantedPrice),

    async list() {
      const paid = await subscriptionsByPrice(db)
      return (await history(db, catalog, now())).map(({ rows, ...plan }) => ({
        ...plan,
        subscriptions: paid.filter(
          (each) => each.productId === plan.productId && each.billingType === plan.billingType,
        ),
        publications: rows.map((row) => ({ ...row, startsAt: row.number === 1 ? null : row.startsAt })),
      }))
    },

    async publish(actor, { productId, billingType, amount, regularAmount, from, after }) {
      const product = catalog.byId(productId)
      if (product?.prices[billingType] === undefined) throw notFound('Product')
      const startsAt = from ? new Date(from.setUTCHours(0, 0, 0, 0)) : now()
      if (from && startsAt <= now()) throw invalid('from', 'Please choose a day that is still to come')
      if (startsAt.getTime() > now().getTime() + 366 * day) throw invalid('from', 'A year from now at most')
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
      const stripePriceId = await stripe.prices.ensure(wantedPrice(row))
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
        // The lookup key goes back to the price that was published first.
        const isFirst = and(eq(prices.billingType, billingType), eq(prices.number, row.number))
        const [first] = await db
          .select()
          .from(prices)
          .where(and(eq(prices.productId, productId), isFirst))
        if (first) await ensure(first)
        throw error
      })
    },
  }
}
