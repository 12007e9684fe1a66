import { setTimeout } from 'node:timers/promises'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { type BillingDetails, needsPostalCode } from '#contract/selling/billing.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { billingDetails, isLivePurchase, purchases, users } from '#server/database/schema.ts'
import { invalid } from '#server/errors.ts'
import type { Place } from '#server/gateways/stripe.ts'
import type { Orders } from '../orders/orders.ts'

/** Stripe customers of an account: its own, and one for each guest checkout. A job updates them at Stripe. */
export type Customers = {
  ownOf(userId: string): Promise<string | undefined>
  /** Keeps name and email at Stripe in sync with the account. */
  accountChanged(tx: Transaction, userId: string): Promise<void>
  billingDetailsOf(userId: string): Promise<BillingDetails>
  /** Saves at Stripe first, which refuses a malformed VAT ID. */
  saveBillingDetails(actor: Actor, details: { [Key in keyof BillingDetails]?: string | undefined }): Promise<void>
  addressAt(place: Place, userId: string | undefined): Promise<Place & { street: string; city: string }>
  copyBillingDetails(customerId: string, userId: string): Promise<void>
  /** Puts the seller's present particulars on future invoices. */
  updateFooters(): Promise<void>
  dataOf(userId: string): Promise<{ billingDetails: BillingDetails }>
  /** Queues the deletion of customers at Stripe. */
  remove(tx: Transaction, ids: string[]): Promise<void>
  /** Deletes the account's customers; Stripe keeps their invoices unchanged. */
  forget(tx: Transaction, userId: string): Promise<void>
}

type CustomerDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'queue' | 'config'>
type OrderCustomers = Orders['customers']
/** Customers in one run; the rest follows 10 minutes later. */
const mostFooters = 200
/** 2 requests/s, to leave Stripe's limit of 100/s to buyers. */
const footerPauseMs = 500

const none: BillingDetails = { company: '', street: '', postalCode: '', city: '', country: '', vatId: '' }

export function createCustomers({ db, now, stripe, queue, config }: CustomerDeps, orders: OrderCustomers): Customers {
  async function updateAll({ userId }: { userId: string }) {
    const [account] = await db
      .select({
        // An invoice is made out to the company, if there is one.
        name: sql<string>`coalesce(nullif(${billingDetails.company}, ''), ${users.name})`,
        email: users.email,
      })
      .from(users)
      .leftJoin(billingDetails, eq(billingDetails.userId, users.id))
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    if (account) for (const id of await orders.idsOf(db, userId)) await stripe.customers.update(id, account)
  }

  const update = queue.job('update-stripe-customers', updateAll, {
    // Two at the same time could leave the older name at Stripe.
    oneFor: ({ userId }) => userId,
  })

  const remove = queue.job<{ ids: string[] }>('delete-customers', async ({ ids }) => {
    for (const id of ids) await stripe.customers.remove(id)
  })

  async function findDetails(userId: string) {
    const [row] = await db
      .select({ name: users.name, details: billingDetails })
      .from(users)
      .leftJoin(billingDetails, eq(billingDetails.userId, users.id))
      .where(eq(users.id, userId))
    return row
  }

  /** Turns tax on for subscriptions without it, now that Stripe knows the place. Subscriptions that fail stay in the seller's inbox. */
  async function taxUntaxed(userId: string) {
    const untaxed = await db
      .select({ id: purchases.stripeSubscriptionId })
      .from(purchases)
      .where(and(eq(purchases.userId, userId), isLivePurchase, eq(purchases.taxIsOff, true)))
    for (const { id } of untaxed) if (id) await stripe.subscriptions.turnTaxOn(id)
  }

  const countLive = (userId: string) => db.$count(purchases, and(eq(purchases.userId, userId), isLivePurchase))

  async function billingDetailsOf(userId: string): Promise<BillingDetails> {
    const details = (await findDetails(userId))?.details
    if (!details) return none
    const { company, street, postalCode, city, country, vatId } = details
    return { company, street, postalCode, city, country, vatId }
  }

  return {
    ownOf: orders.ownOf,

    accountChanged: (tx, userId) => update(tx, { userId }),

    billingDetailsOf,

    async saveBillingDetails({ user }, given) {
      const details = { ...none, ...given } as BillingDetails
      if (config.tax.mode === 'stripe' && (await countLive(user.id)) > 0) assertPlace(details)
      for (const id of await orders.idsOf(db, user.id))
        await stripe.customers.setBillingDetails(id, { ...details, name: user.name })
      if (config.tax.mode === 'stripe') await taxUntaxed(user.id)
      await db
        .insert(billingDetails)
        .values({ ...details, userId: user.id, updatedAt: now() })
        .onConflictDoUpdate({ target: billingDetails.userId, set: { ...details, updatedAt: now() } })
    },

    async addressAt(place, userId) {
      const details = userId ? await billingDetailsOf(userId) : none
      const { street, city, postalCode } = details.country === place.country ? details : none
      return { ...place, street, city, postalCode: place.postalCode || postalCode }
    },

    async copyBillingDetails(customerId, userId) {
      const row = await findDetails(userId)
      if (row?.details) await stripe.customers.setBillingDetails(customerId, { ...row.details, name: row.name })
    },

    async updateFooters() {
      const footer = stripe.customers.footer()
      const outdated = await orders.withOtherFooter(footer, mostFooters)
      for (const [place, id] of outdated.entries()) {
        if (place > 0) await setTimeout(footerPauseMs)
        await stripe.customers.setFooter(id, footer)
        await orders.recordFooter(id, footer)
      }
    },

    dataOf: async (userId) => ({ billingDetails: await billingDetailsOf(userId) }),

    remove: (tx, ids) => remove(tx, { ids }),

    async forget(tx, userId) {
      const ids = await orders.idsOf(tx, userId)
      if (ids.length > 0) await remove(tx, { ids })
    },
  }
}

/** Throws 400 without a country or postal code: Stripe would charge without tax. */
function assertPlace({ country, postalCode }: BillingDetails) {
  const missing = !country ? 'country' : needsPostalCode(country) && !postalCode ? 'postalCode' : undefined
  if (!missing) return
  const message = `The tax on your subscription depends on the ${missing === 'country' ? 'country' : 'postal code'}`
  throw invalid(missing, message)
}
