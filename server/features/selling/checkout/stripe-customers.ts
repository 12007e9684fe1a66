import { setTimeout } from 'node:timers/promises'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { BillingDetails } from '#contract/selling/billing.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { billingDetails, isLivePurchase, orders as orderRows, purchases, users } from '#server/database/schema.ts'
import type { Orders } from '../orders/orders.ts'
import { assertPlace, createTaxPlace, noDetails, type TaxPlace } from './tax-place.ts'

/** Stripe customers of an account: its own, and those of its guest checkouts. */
export type Customers = TaxPlace & {
  ownCustomerOf(userId: string): Promise<string | undefined>
  accountChanged(tx: Transaction, userId: string): Promise<void>
  /** Saves at Stripe first, which refuses a malformed VAT ID. */
  saveBillingDetails(actor: Actor, details: { [Key in keyof BillingDetails]?: string | undefined }): Promise<void>
  copyBillingDetails(customerId: string, userId: string): Promise<void>
  updateInvoiceFooters(): Promise<void>
  dataOf(userId: string): Promise<{ billingDetails: BillingDetails }>
  remove(tx: Transaction, ids: string[]): Promise<void>
  /** Deletes the account's customers at Stripe, which keeps their invoices unchanged. */
  forget(tx: Transaction, userId: string): Promise<void>
}

type CustomerDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'queue' | 'config'>
/** The next run, 10 minutes later, continues. */
const mostFootersPerRun = 200
/** 2 requests/s; Stripe allows 100/s in live mode, which buyers need. */
const footerPauseMs = 500

export function createCustomers(
  { db, now, stripe, queue, config }: CustomerDeps,
  orders: Pick<Orders, 'customers' | 'listRunningSubscriptions'>,
): Customers {
  const orderCustomers = orders.customers
  const taxPlace = createTaxPlace({ db, now, orders })
  const { billingDetailsOf } = taxPlace

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

  /** The checkout of an open order has set its VAT ID at Stripe. */
  async function hasOpenOrderWithVatId(userId: string) {
    const isOpenOfUser = and(eq(orderRows.userId, userId), isNull(orderRows.closedAt))
    return (await db.$count(orderRows, and(isOpenOfUser, isNotNull(orderRows.vatId)))) > 0
  }

  const countLive = (userId: string) => db.$count(purchases, and(eq(purchases.userId, userId), isLivePurchase))

  return {
    ...taxPlace,

    ownCustomerOf: orderCustomers.ownCustomerOf,

    accountChanged: (tx, userId) => updateCustomers(tx, { userId }),

    async saveBillingDetails({ user }, input) {
      const details = { ...noDetails, ...input } as BillingDetails
      if (config.tax.mode === 'stripe' && (await countLive(user.id)) > 0) assertPlace(details)
      const { vatId: vatIdBefore } = await billingDetailsOf(user.id)
      // An unchanged field changes nothing at Stripe, where the seller may have entered another VAT ID.
      const isUnchanged = details.vatId === vatIdBefore && !(await hasOpenOrderWithVatId(user.id))
      const vatId = isUnchanged ? undefined : details.vatId
      for (const id of await orderCustomers.idsOf(db, user.id))
        await stripe.customers.setBillingDetails(id, { ...details, vatId, name: user.name })
      if (config.tax.mode === 'stripe') await turnMissingTaxOn(user.id)
      await db
        .insert(billingDetails)
        .values({ ...details, userId: user.id, updatedAt: now() })
        .onConflictDoUpdate({ target: billingDetails.userId, set: { ...details, updatedAt: now() } })
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
