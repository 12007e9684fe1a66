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

/** Stripe customers of an account: its own, and those of its guest checkouts. */
export type Customers = {
  ownCustomerOf(userId: string): Promise<string | undefined>
  accountChanged(tx: Transaction, userId: string): Promise<void>
  billingDetailsOf(userId: string): Promise<BillingDetails>
  /** Saves at Stripe first, which refuses a malformed VAT ID. */
  saveBillingDetails(actor: Actor, details: { [Key in keyof BillingDetails]?: string | undefined }): Promise<void>
  /** Adds the rest of the account's address, if it is in the same country. */
  completeAddress(place: Place, userId: string | undefined): Promise<Place & { street: string; city: string }>
  copyBillingDetails(customerId: string, userId: string): Promise<void>
  updateInvoiceFooters(): Promise<void>
  dataOf(userId: string): Promise<{ billingDetails: BillingDetails }>
  remove(tx: Transaction, ids: string[]): Promise<void>
  /** Deletes the account's customers at Stripe, which keeps their invoices unchanged. */
  forget(tx: Transaction, userId: string): Promise<void>
}

type CustomerDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'queue' | 'config'>
type OrderCustomers = Orders['customers']
/** The next run, 10 minutes later, continues. */
const mostFootersPerRun = 200
/** 2 requests/s; Stripe allows 100/s in live mode, which buyers need. */
const footerPauseMs = 500

const noDetails: BillingDetails = { company: '', street: '', postalCode: '', city: '', country: '', vatId: '' }

export function createCustomers(
  { db, now, stripe, queue, config }: CustomerDeps,
  orderCustomers: OrderCustomers,
): Customers {
  async function updateNameAndEmail({ userId }: { userId: string }) {
    const [account] = await db
      .select({
        // An invoice is made out to the company, if there is one.
        name: sql<string>`coalesce(nullif(${billingDetails.company}, ''), ${users.name})`,
        email: users.email,
      })
      .from(users)
      .leftJoin(billingDetails, eq(billingDetails.userId, users.id))
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    if (!account) return
    for (const id of await orderCustomers.idsOf(db, userId)) await stripe.customers.update(id, account)
  }

  const updateCustomers = queue.defineJob('update-stripe-customers', updateNameAndEmail, {
    // Two concurrent jobs could leave the older name at Stripe.
    oneFor: ({ userId }) => userId,
  })

  const deleteCustomers = queue.defineJob<{ ids: string[] }>('delete-customers', async ({ ids }) => {
    for (const id of ids) await stripe.customers.remove(id)
  })

  async function findNameAndDetails(userId: string) {
    const [account] = await db
      .select({ name: users.name, details: billingDetails })
      .from(users)
      .leftJoin(billingDetails, eq(billingDetails.userId, users.id))
      .where(eq(users.id, userId))
    return account
  }

  /** Turns tax on where Stripe now knows the place. The admin area keeps listing the other subscriptions. */
  async function turnMissingTaxOn(userId: string) {
    const untaxed = await db
      .select({ id: purchases.stripeSubscriptionId })
      .from(purchases)
      .where(and(eq(purchases.userId, userId), isLivePurchase, eq(purchases.taxIsOff, true)))
    for (const { id } of untaxed) if (id) await stripe.subscriptions.turnTaxOn(id)
  }

  const countLive = (userId: string) => db.$count(purchases, and(eq(purchases.userId, userId), isLivePurchase))

  async function billingDetailsOf(userId: string): Promise<BillingDetails> {
    const details = (await findNameAndDetails(userId))?.details
    if (!details) return noDetails
    const { company, street, postalCode, city, country, vatId } = details
    return { company, street, postalCode, city, country, vatId }
  }

  return {
    ownCustomerOf: orderCustomers.ownCustomerOf,

    accountChanged: (tx, userId) => updateCustomers(tx, { userId }),

    billingDetailsOf,

    async saveBillingDetails({ user }, input) {
      const details = { ...noDetails, ...input } as BillingDetails
      if (config.tax.mode === 'stripe' && (await countLive(user.id)) > 0) assertPlace(details)
      for (const id of await orderCustomers.idsOf(db, user.id))
        await stripe.customers.setBillingDetails(id, { ...details, name: user.name })
      if (config.tax.mode === 'stripe') await turnMissingTaxOn(user.id)
      await db
        .insert(billingDetails)
        .values({ ...details, userId: user.id, updatedAt: now() })
        .onConflictDoUpdate({ target: billingDetails.userId, set: { ...details, updatedAt: now() } })
    },

    async completeAddress(place, userId) {
      const details = userId ? await billingDetailsOf(userId) : noDetails
      const isSameCountry = details.country === place.country
      const { street, city, postalCode } = isSameCountry ? details : noDetails
      return { ...place, street, city, postalCode: place.postalCode || postalCode }
    },

    async copyBillingDetails(customerId, userId) {
      const { name, details } = (await findNameAndDetails(userId)) ?? {}
      if (name !== undefined && details) await stripe.customers.setBillingDetails(customerId, { ...details, name })
    },

    async updateInvoiceFooters() {
      const footer = stripe.customers.footer()
      const outdatedIds = await orderCustomers.listWithOtherFooter(footer, mostFootersPerRun)
      for (const [index, id] of outdatedIds.entries()) {
        if (index > 0) await setTimeout(footerPauseMs)
        await stripe.customers.setFooter(id, footer)
        await orderCustomers.recordFooter(id, footer)
      }
    },

    dataOf: async (userId) => ({ billingDetails: await billingDetailsOf(userId) }),

    remove: (tx, ids) => deleteCustomers(tx, { ids }),

    async forget(tx, userId) {
      const ids = await orderCustomers.idsOf(tx, userId)
      if (ids.length > 0) await deleteCustomers(tx, { ids })
    },
  }
}

/** Stripe would charge without tax if the place were incomplete. */
function assertPlace({ country, postalCode }: BillingDetails) {
  if (!country) throw invalid('country', 'The tax on your subscription depends on the country')
  if (needsPostalCode(country) && !postalCode)
    throw invalid('postalCode', 'The tax on your subscription depends on the postal code')
}
