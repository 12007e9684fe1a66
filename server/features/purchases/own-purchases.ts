import { and, eq, inArray, isNull } from 'drizzle-orm'
import { liveStatuses } from '#contract/purchases.ts'
import type { Database } from '../../database/connect.ts'
import { checkouts, purchases } from '../../database/schema.ts'
import { conflict, notFound } from '../../errors.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import { accessEnds } from '../access-requests/access-requests.ts'
import type { PurchaseRow } from './letters.ts'
import { listPurchases, prepareOwnPurchases } from './list.ts'
import { createTurns } from './turns.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  sync: (subscriptionId: string) => Promise<void>
  crashPoint: (name: string) => void
}

export type OwnPurchases = ReturnType<typeof createOwnPurchases>

/** What buyers see of their purchases and do with them. */
export function createOwnPurchases({ db, now, stripe, sync, crashPoint }: Dependencies) {
  const inTurn = createTurns()
  const firstPage = prepareOwnPurchases(db)

  const isLive = inArray(purchases.status, [...liveStatuses])

  async function find(id: string, userId?: string): Promise<PurchaseRow> {
    const [found] = await db
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, id), userId ? eq(purchases.userId, userId) : undefined))
    if (!found) throw notFound('Purchase')
    return found
  }

  async function findSubscription(userId: string, id: string, refusal: string) {
    const { stripeSubscriptionId } = await find(id, userId)
    if (!stripeSubscriptionId) throw conflict(refusal)
    return stripeSubscriptionId
  }

  /** Names a wish made on what is known now: made twice at once, also by two processes, it is one wish to Stripe. */
  async function keyFor(wish: string, subscriptionId: string) {
    const [checkout] = await db
      .select({ version: checkouts.version })
      .from(checkouts)
      .where(eq(checkouts.subscriptionId, subscriptionId))
    return `${wish}-${subscriptionId}-${checkout?.version ?? 0}`
  }

  const byHand = 'This purchase was booked by the seller. Please contact support to change it.'

  return {
    sync,
    find,
    inTurn,

    list: (userId: string, page: { limit: number; cursor?: string | undefined }) =>
      page.cursor ? listPurchases(db, { ...page, userId }) : firstPage(userId, page.limit),

    async owns(userId: string, productId: string): Promise<boolean> {
      const [found] = await db
        .select({ id: purchases.id })
        .from(purchases)
        .where(and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLive))
        .limit(1)
      return found !== undefined
    },

    async ofPaymentIntent(userId: string, paymentIntentId: string): Promise<PurchaseRow | undefined> {
      const [found] = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.paymentIntentId, paymentIntentId), eq(purchases.userId, userId)))
      return found
    },

    /** The buyer keeps access until the paid period ends; an unpaid one ends at once. */
    async cancel(userId: string, id: string) {
      const subscriptionId = await findSubscription(userId, id, byHand)
      await inTurn(subscriptionId, async () => {
        const { status } = await find(id, userId)
        if (status === 'pending_cancel') return
        if (status !== 'active' && status !== 'past_due')
          throw conflict('Only an active subscription can be cancelled')
        // Stripe first: if we die before the sync, the webhook repairs the row.
        if (status === 'past_due') await stripe.cancelNow(subscriptionId)
        else await stripe.cancelAtPeriodEnd(subscriptionId, await keyFor('cancel', subscriptionId))
        crashPoint('cancelled at Stripe')
        await sync(subscriptionId)
      })
    },

    /** Takes a cancellation back while the paid period lasts. */
    async resume(userId: string, id: string) {
      const subscriptionId = await findSubscription(userId, id, byHand)
      await inTurn(subscriptionId, async () => {
        const { status } = await find(id, userId)
        if (status === 'active') return
        if (status !== 'pending_cancel')
          throw conflict('This subscription has ended. You can buy a new one at any time.')
        await stripe.resume(subscriptionId, await keyFor('resume', subscriptionId))
        crashPoint('resumed at Stripe')
        await sync(subscriptionId)
      })
    },

    /** Its address is asked for on each click: Stripe's links do not live for ever. */
    async invoice(userId: string, id: string) {
      const subscriptionId = await findSubscription(userId, id, 'There is no invoice for this purchase')
      const invoices = await stripe.invoices(subscriptionId)
      const invoiceUrl = invoices.find((invoice) => invoice.invoiceUrl)?.invoiceUrl
      if (!invoiceUrl) throw notFound('Invoice')
      return { invoiceUrl }
    },

    async invoices(userId: string, id: string) {
      const { stripeSubscriptionId } = await find(id, userId)
      return stripeSubscriptionId ? stripe.invoices(stripeSubscriptionId) : []
    },

    /** Before an account is deleted: nothing of it may be paid any more. */
    async endAllOf(userId: string) {
      const live = await db
        .select({ id: purchases.stripeSubscriptionId })
        .from(purchases)
        .where(and(eq(purchases.userId, userId), isLive))
      const open = await db
        .select({ id: checkouts.subscriptionId })
        .from(checkouts)
        .where(and(eq(checkouts.userId, userId), isNull(checkouts.closedAt)))
      for (const { id } of [...live, ...open]) {
        if (!id) continue
        await stripe.cancelNow(id)
        await sync(id)
      }
      await db
        .update(purchases)
        .set({ status: 'cancelled', endedAt: now(), endedBecause: 'cancelled' })
        .where(and(eq(purchases.userId, userId), isLive, isNull(purchases.stripeSubscriptionId)))
      await accessEnds(db, { userId }, now())
    },
  }
}
