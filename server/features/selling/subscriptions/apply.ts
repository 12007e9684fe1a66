import { isDeepStrictEqual } from 'node:util'
import { and, eq, sql } from 'drizzle-orm'
import { type BillingType, type EndReason, isLive, refusedReasons } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { isOngoingPurchase, purchases, users } from '#server/database/schema.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import { recordDisputes } from '../disputes/disputes.ts'
import { isRecorded, latestPaidInvoice, recordInvoices } from '../invoices/invoices.ts'
import { arrOf, type Ledger, movementsOf } from '../ledger/ledger.ts'
import type { NewAccount, Notices } from '../notices/notices.ts'
import { mayGetNews, type OrderRow, type Orders } from '../orders/orders.ts'
import { type AccessEffects, insertPurchase, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'
import { failedRefundsOf, isRefundable, type RefundJobs } from '../refunds/refunds.ts'
import { restToRefund } from './notice-period.ts'
import { isUnpaidAttempt, stateOf } from './state.ts'

export type ApplyDeps = Pick<Context, 'now'> &
  RefundJobs & {
    accounts: Pick<Accounts, 'guests'>
    orders: Orders
    access: AccessEffects
    codes: Pick<Codes, 'use'>
    ledger: Pick<Ledger, 'record'>
    notices: Pick<Notices, 'tell' | 'tellRefundFailed'>
  }

/** Returns false if the answer is no longer the newest. */
export type Apply = (tx: Transaction, known: OrderRow, answer: Subscription) => Promise<boolean>

/** Writes Stripe's answer about a subscription and all its effects in one transaction. */
export function createApply(deps: ApplyDeps): Apply {
  const { now, accounts, orders, access, codes, ledger, notices } = deps
  const { refundDuplicate, refundLate, refundUnusedTerm, creditRefunds } = deps

  async function book(tx: Transaction, order: OrderRow, answer: Subscription) {
    const guest = order.userId ? undefined : await accounts.guests.findOrCreateForGuest(tx, order.email)
    const userId = order.userId ?? guest?.id
    if (!userId) throw new Error(`Order ${order.id} has no buyer`)
    const cardCountry = answer.payments.at(-1)?.cardCountry ?? null
    await orders.close(tx, order.id, { userId, cardCountry, ...(guest ? { madeAccount: guest.tokenId !== null } : {}) })
    const buyer = await lockBuyer(tx, userId)
    const state = stateOf(answer, order.billingType)
    const refused = state.endedAt === null ? await whyRefused(tx, buyer, order) : null
    const refundedBecause = refused?.because
    const movements = refundedBecause ? [] : movementsOf(answer, endOf(state), now())
    const after = await recordPurchase(
      tx,
      {
        userId,
        productId: order.productId,
        createdAt: now(),
        stripeSubscriptionId: answer.id,
        paymentIntentId: order.paymentIntentId,
        ...state,
        arr: arrOf(movements),
        ...(refundedBecause ? endedAs(refundedBecause, now()) : {}),
      },
      answer,
    )
    await ledger.record(tx, after, movements)
    await access.purchasesChanged(tx, userId)
    const attached = guest?.tokenId === null
    const isHandedOver = attached && !buyer.verifiedAt && !refundedBecause
    const username = order.tradingViewUsername
    // A guest may type anyone's address, so the owner of an existing account confirms the username.
    if (username && !refundedBecause && (!attached || isHandedOver))
      await access.usernameEntered(tx, { userId, username, productId: order.productId })
    if (refundedBecause) await refundDuplicate(tx, { subscriptionId: answer.id })
    if (hasLate(answer)) await refundLate(tx, { subscriptionId: answer.id })
    let newAccount: NewAccount | undefined = guest?.tokenId ? { tokenId: guest.tokenId, username } : undefined
    if (isHandedOver) {
      const tokenId = await accounts.guests.handOverToMailboxOwner(tx, buyer.id)
      newAccount = { tokenId, username, handedOver: { paymentIntentId: order.paymentIntentId } }
      // Other unpaid checkouts may still be open in a browser; paying one would only lead to a refund.
      for (const subscriptionId of await orders.logins.endForAccount(tx, buyer))
        await refundDuplicate(tx, { subscriptionId })
    }
    if (!buyer.deletedAt)
      await notices.tell(tx, {
        before: undefined,
        after,
        to: isHandedOver ? { ...buyer, name: '' } : buyer,
        code: refused && 'code' in refused ? refused.code : '',
        ...(attached && !isHandedOver ? { attached: { username, paymentIntentId: order.paymentIntentId } } : {}),
        ...(newAccount ? { newAccount } : {}),
        money: moneyOf(answer),
        unlocksItself: await access.unlocksItself(tx, order.productId),
        needsUsername: !username && !buyer.tradingViewUsername && !refundedBecause,
        mayGetNews: !attached && mayGetNews(order),
      })
  }

  /** Counts the use of a discount code, unless the payment is refunded. Expects the buyer's row to be locked. */
  async function whyRefused(tx: Transaction, buyer: typeof users.$inferSelect, order: OrderRow) {
    if (buyer.deletedAt || (await hasOther(tx, buyer.id, order))) return { because: 'duplicate' as const }
    return codes.use(tx, order, { userId: buyer.id, email: order.email })
  }

  async function change(tx: Transaction, order: OrderRow, answer: Subscription) {
    if (order.userId) await lockPerson(tx, order.userId)
    const [before] = await tx
      .select()
      .from(purchases)
      .where(eq(purchases.stripeSubscriptionId, answer.id))
      // Allows inserts that reference the purchase meanwhile.
      .for('no key update')
    // A deleted purchase stays deleted, but later refunds and disputes still reach the books.
    if (!before) {
      if (order.userId) await recordBooks(tx, { id: null, userId: order.userId }, answer)
      return
    }
    const state = changedState(before, answer, order.billingType)
    const { refundedAmount, isDisputed, disputedAmount, lostAmount, disputeDueAt, failedRefunds, uncoveredNotes } =
      state
    const isBack = !isLive(before.status) && isLive(state.status)
    const isSecond = !isPaidForNothing(before.endedBecause) && isBack && (await hasOther(tx, before.userId, order))
    // The owner bought another one during the pause: payments since then are refunded and never count.
    const since = isSecond ? (before.pausedAt ?? before.endedAt) : null
    const end: ReturnType<typeof endOf> = since ? { at: since, cause: 'duplicate' } : endOf(state)
    const movements = isPaidForNothing(before.endedBecause) ? null : movementsOf(answer, end, now())
    const changes = movements
      ? { ...state, arr: arrOf(movements), ...(isSecond ? endedAs('duplicate', now()) : {}) }
      : { refundedAmount, isDisputed, disputedAmount, lostAmount, disputeDueAt, failedRefunds, uncoveredNotes, arr: 0 }
    const isSame = isDeepStrictEqual({ ...before, ...changes }, before)
    // Stripe sends about a dozen events per payment, most without news.
    const news = !isSame || !(await isRecorded(tx, answer)) ? await recordBooks(tx, before, answer) : []
    if (news.some(({ status }) => status === 'succeeded')) await creditRefunds(tx, { subscriptionId: answer.id })
    if (isSame) return
    const after = await updatePurchase(tx, before.id, changes)
    if (movements) await ledger.record(tx, before, movements)
    if (answer.switchId && after?.orderedAt) await orders.switches.close(tx, answer.switchId, after.orderedAt)
    await access.purchasesChanged(tx, before.userId)
    if (hasLate(answer)) await refundLate(tx, { subscriptionId: answer.id })
    if (since) await refundDuplicate(tx, { subscriptionId: answer.id, since: since.toISOString() })
    // A refused purchase is refunded once the bank has decided and left the money with the shop.
    const isDecided = before.isDisputed && !isDisputed
    const [newest] = answer.payments
    if (isDecided && isPaidForNothing(before.endedBecause) && newest) {
      // Only the newest payment. Its invoice may be marked paid a second later.
      const justBefore = new Date(newest.paidAt.getTime() - 1000)
      await refundDuplicate(tx, { subscriptionId: answer.id, since: justBefore.toISOString() })
    }
    const rest = after && (!before.endedAt || isDecided) ? restToRefund(after) : 0
    if (rest > 0) await refundUnusedTerm(tx, { subscriptionId: answer.id, amount: rest })
    if (after) await notices.tell(tx, { before, after, money: moneyOf(answer) })
    for (const { amount } of news.filter(({ status }) => status === 'failed'))
      await notices.tellRefundFailed(tx, before, amount)
  }

  return async function apply(tx, known, answer) {
    const order = await orders.advanceVersion(tx, known)
    if (!order) return false
    const isGivenUp = !order.closedAt && answer.endedAt !== null && answer.payments.length === 0
    if (isUnpaidAttempt(answer) || isGivenUp) {
      if (answer.endedAt || answer.status === 'incomplete_expired') await orders.close(tx, order.id)
    } else if (order.closedAt) await change(tx, order, answer)
    else await book(tx, order, answer)
    return true
  }
}

/** Payments received after the subscription ended, unless a bank decides about them. */
const hasLate = ({ endedAt, payments }: Subscription) =>
  endedAt !== null &&
  payments.some((payment) => payment.paidAt > endedAt && payment.refunded < payment.amount && isRefundable(payment))

const isPaidForNothing = (because: EndReason | null) => refusedReasons.some((reason) => reason === because)

const endedAs = (endedBecause: EndReason, endedAt: Date) => ({
  status: 'cancelled' as const,
  nextAmount: null,
  laterAmount: null,
  laterAt: null,
  endedAt,
  endedBecause,
})

const endOf = ({ endedAt, endedBecause }: Pick<PurchaseRow, 'endedAt' | 'endedBecause'>) =>
  endedAt && { at: endedAt, cause: endedBecause ?? 'cancelled' }

const moneyOf = (answer: Subscription) => ({ paid: latestPaidInvoice(answer) ?? null })

/** State by Stripe's answer, plus what only the shop knows: promised refunds and refunds paid another way. */
function changedState(before: PurchaseRow, answer: Subscription, bought: BillingType) {
  const { restRefund: promised, refundedElsewhere } = before
  const returned = failedRefundsOf(answer.payments)
  const state = stateOf(answer, bought)
  return {
    ...state,
    missingSince: null,
    failedRefunds: Math.max(0, returned - refundedElsewhere),
    uncoveredNotes: Math.max(0, answer.uncoveredNotes - refundedElsewhere),
    // An immediate end doesn't show whether the cancellation had been undone before.
    restRefund: answer.endsAt || promised ? state.restRefund : null,
    // A refund that failed later doesn't change why access ended.
    ...(state.endedAt && returned > 0 && before.endedBecause === 'refunded'
      ? { status: 'cancelled' as const, endedBecause: 'refunded' as const }
      : {}),
  }
}

export async function recordPurchase(tx: Transaction, bought: typeof purchases.$inferInsert, answer: Subscription) {
  const purchase = await insertPurchase(tx, bought)
  await recordBooks(tx, purchase, answer)
  return purchase
}

async function recordBooks(tx: Transaction, owner: Parameters<typeof recordInvoices>[1], answer: Subscription) {
  const news = await recordInvoices(tx, owner, answer)
  await recordDisputes(tx, answer)
  return news
}

/** Locks the buyer's row, so that two payments of one account are booked in order. */
export async function lockBuyer(tx: Transaction, userId: string) {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  if (!user) throw new Error(`There is no user ${userId}`)
  return user
}

export async function hasOther(tx: Transaction, userId: string, { productId, subscriptionId }: OrderRow) {
  const isOther = and(
    eq(purchases.userId, userId),
    eq(purchases.productId, productId),
    isOngoingPurchase,
    sql`${purchases.stripeSubscriptionId} is distinct from ${subscriptionId}`,
  )
  return (await tx.$count(purchases, isOther)) > 0
}
