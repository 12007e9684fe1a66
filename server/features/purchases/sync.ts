import { and, eq, sql } from 'drizzle-orm'
import { coalesce } from '../../concurrency/coalesce.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { isOngoingPurchase } from '../../database/live-purchase.ts'
import { purchases, users } from '../../database/schema.ts'
import type { StripeGateway, Subscription } from '../../gateways/stripe.ts'
import type { Queue } from '../../jobs/queue.ts'
import { type AccessRequests, endAccess } from '../access-requests/access-requests.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { CheckoutRow, Checkouts } from '../checkout/checkout.ts'
import { type Entitlements, givesAccess } from '../entitlements/entitlements.ts'
import type { Seats } from '../seats/seats.ts'
import { restToPayBack } from './notice.ts'
import type { createNotifications } from './notifications.ts'
import { payBackAll } from './pay-back.ts'
import { isPayable, isUnpaidAttempt, moneyIsBack, stateOf } from './state.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  queue: Queue
  accounts: Pick<Accounts, 'forGuest' | 'handOver'>
  checkouts: Checkouts
  entitlements: Pick<Entitlements, 'refresh'>
  accessRequests: Pick<AccessRequests, 'claim'>
  seats: Pick<Seats, 'release'>
  notify: ReturnType<typeof createNotifications>
  /** Where a test may kill the process; does nothing in production. */
  crashPoint: (name: string) => void
}

/**
 * Brings the shop's view of a subscription in line with Stripe's, once, whoever asks: webhook, buyer, admin or
 * reconciler. Stripe is called outside any transaction. If the row's version shows that someone else wrote in the
 * meantime, we ask again, so every write holds a newer answer than the one before.
 */
export function createSync({
  db,
  now,
  stripe,
  queue,
  accounts,
  checkouts,
  entitlements,
  accessRequests,
  seats,
  notify,
  crashPoint,
}: Dependencies) {
  const payBackDuplicate = queue.job<{ subscriptionId: string }>(
    'pay-back-duplicate',
    async ({ subscriptionId }) => {
      await stripe.cancelNow(subscriptionId)
      crashPoint('duplicate cancelled')
      await payBackAll(stripe, subscriptionId)
      await sync(subscriptionId)
    },
  )

  /** Whoever gets money back gets a credit note for their books. */
  const creditRefunds = queue.job<{ subscriptionId: string }>('credit-refunds', ({ subscriptionId }) =>
    stripe.creditRefunds(subscriptionId),
  )

  /** What a month's notice left of a paid year. */
  const payBackRest = queue.job<{ subscriptionId: string; amount: number }>(
    'pay-back-rest',
    async ({ subscriptionId, amount }) => {
      const latest = async () => (await stripe.subscription(subscriptionId)).payments[0]
      const payment = await latest()
      if (!payment) return
      await stripe.refund(
        payment.paymentIntentId,
        async () => {
          const current = await latest()
          return current ? Math.min(amount, current.amount - current.refunded) : 0
        },
        `rest of ${subscriptionId}`,
      )
      await sync(subscriptionId)
    },
  )

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

  /** False if the answer is no longer the newest. */
  async function apply(tx: Transaction, known: CheckoutRow, answer: Subscription): Promise<boolean> {
    const checkout = await checkouts.claim(tx, known)
    if (!checkout) return false
    const isGivenUp = !checkout.closedAt && answer.endedAt !== null && answer.payments.length === 0
    if (isUnpaidAttempt(answer) || isGivenUp) {
      if (answer.endedAt || answer.status === 'incomplete_expired') await checkouts.close(tx, checkout.id)
    } else if (checkout.closedAt) await change(tx, answer)
    else await book(tx, checkout, answer)
    return true
  }

  /** The money has arrived: it's now a purchase, for the buyer's account or for one created for the guest. */
  async function book(tx: Transaction, checkout: CheckoutRow, answer: Subscription) {
    const guest = checkout.userId ? undefined : await accounts.forGuest(tx, checkout.email)
    const userId = checkout.userId ?? guest?.id
    if (!userId) throw new Error(`Checkout ${checkout.id} has no buyer`)
    await checkouts.recordCard(tx, checkout.id, answer.payments.at(-1)?.cardCountry)
    await checkouts.close(tx, checkout.id, { userId, ...(guest ? { madeAccount: guest.isNew } : {}) })
    const buyer = await lockUser(tx, userId)
    const state = stateOf(answer)
    const isDuplicate = state.endedAt === null && (buyer.deletedAt || (await hasOther(tx, userId, checkout)))
    const [after] = await tx
      .insert(purchases)
      .values({
        userId,
        productId: checkout.productId,
        billingType: checkout.billingType,
        createdAt: now(),
        stripeSubscriptionId: answer.id,
        paymentIntentId: checkout.paymentIntentId,
        ...state,
        ...(isDuplicate
          ? { status: 'cancelled' as const, endedAt: now(), endedBecause: 'duplicate' as const }
          : {}),
      })
      .returning()
    await entitlements.refresh(tx, userId)
    await seats.release(tx, [userId, checkout.email], checkout.productId)
    const username = checkout.tradingViewUsername
    if (after && username && !isDuplicate)
      await accessRequests.claim(tx, { userId, purchaseId: after.id, productId: after.productId, username })
    if (isDuplicate) await payBackDuplicate(tx, { subscriptionId: answer.id })
    const attached = guest?.isNew === false
    const isHandedOver = attached && !buyer.verifiedAt && !isDuplicate
    if (isHandedOver) {
      await accounts.handOver(tx, buyer)
      // Whoever started them may still have the form open, and paying would only lead to a refund.
      for (const subscriptionId of await checkouts.handOver(tx, buyer))
        await payBackDuplicate(tx, { subscriptionId })
    }
    if (after && !buyer.deletedAt)
      await notify(tx, {
        before: undefined,
        after,
        to: isHandedOver ? { ...buyer, name: '' } : buyer,
        attached: attached && !isHandedOver,
        ...paidInvoiceOf(answer),
        startNow: await checkouts.wantsToStartNow(tx, checkout.id),
      })
  }

  async function change(tx: Transaction, answer: Subscription) {
    const [before] = await tx
      .select()
      .from(purchases)
      .where(eq(purchases.stripeSubscriptionId, answer.id))
      .for('update')
    // An admin deleted it; nothing Stripe still has to say brings it back.
    if (!before) return
    const { refundedAmount, ...state } = stateOf(answer)
    const [after] = await tx
      .update(purchases)
      .set(before.endedBecause === 'duplicate' ? { refundedAmount } : { ...state, refundedAmount })
      .where(eq(purchases.id, before.id))
      .returning()
    if (after && !givesAccess(after.status)) await endAccess(tx, { purchaseId: after.id }, now())
    await entitlements.refresh(tx, before.userId)
    const rest = after && !before.endedAt ? restToPayBack(after) : 0
    if (rest > 0) await payBackRest(tx, { subscriptionId: answer.id, amount: rest })
    if (after && after.refundedAmount > before.refundedAmount)
      await creditRefunds(tx, { subscriptionId: answer.id })
    const [to] = await tx.select().from(users).where(eq(users.id, before.userId))
    if (after && to && !to.deletedAt)
      await notify(tx, { before, after, to, attached: false, ...paidInvoiceOf(answer) })
  }

  const sync = coalesce(syncOnce)
  return sync
}

const paidInvoiceOf = ({ latestInvoice }: Subscription) =>
  latestInvoice?.status === 'paid'
    ? { paidInvoiceId: latestInvoice.id, tax: latestInvoice.tax }
    : { paidInvoiceId: null, tax: null }

/** Makes two payments by one account wait their turn to be booked. */
async function lockUser(tx: Transaction, userId: string) {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  if (!user) throw new Error(`There is no user ${userId}`)
  return user
}

async function hasOther(tx: Transaction, userId: string, { productId, subscriptionId }: CheckoutRow) {
  const [other] = await tx
    .select({ id: purchases.id })
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, userId),
        eq(purchases.productId, productId),
        isOngoingPurchase,
        sql`${purchases.stripeSubscriptionId} is distinct from ${subscriptionId}`,
      ),
    )
    .limit(1)
  return other !== undefined
}
