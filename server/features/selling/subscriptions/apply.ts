import { isDeepStrictEqual } from 'node:util'
import { and, eq, sql } from 'drizzle-orm'
import { type BillingType, type EndReason, isLive, refusedPurchaseReasons } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { isOngoingPurchase, purchases, users } from '#server/database/schema.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import { recordDisputes } from '../disputes/disputes.ts'
import { type BookedPurchase, isRecorded, latestPaidInvoice, recordInvoices } from '../invoices/invoices.ts'
import { arrOf, type Ledger, movementsOf } from '../ledger/ledger.ts'
import type { NewAccount, Notices } from '../notices/notices.ts'
import { mayGetNews, type OrderRow, type Orders } from '../orders/orders.ts'
import { type AccessEffects, insertPurchase, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'
import { failedRefundsOf, isRefundable, type RefundJobs } from '../refunds/refunds.ts'
import { unusedTermRefundDue } from './notice-period.ts'
import { isUnpaidAttempt, stateOf } from './state.ts'

export type ApplyDeps = Pick<Context, 'now'> &
  RefundJobs & {
    accounts: Pick<Accounts, 'guests'>
    orders: Orders
    access: AccessEffects
    codes: Pick<Codes, 'use'>
    ledger: Pick<Ledger, 'record'>
    notices: Pick<Notices, 'emailAboutChange' | 'emailRefundFailed'>
  }

type PurchaseUpdate = {
  before: PurchaseRow
  after: PurchaseRow | undefined
  subscription: Subscription
  /** For a second purchase of the same product: payments after this time are refunded. */
  duplicateSince: Date | null
  isDisputeDecided: boolean
}

/** Returns false, and changes nothing, if another process has updated the order since it was read. */
export type Apply = (tx: Transaction, order: OrderRow, subscription: Subscription) => Promise<boolean>

export function createApply(deps: ApplyDeps): Apply {
  const { now, accounts, orders, access, codes, ledger, notices } = deps
  const { refundDuplicate, refundLate, creditRefunds } = deps

  async function createPurchase(tx: Transaction, order: OrderRow, subscription: Subscription) {
    const guest = order.userId ? undefined : await accounts.guests.findOrCreateForGuest(tx, order.email)
    const userId = order.userId ?? guest?.id
    if (!userId) throw new Error(`Order ${order.id} has no buyer`)
    const cardCountry = subscription.payments.at(-1)?.cardCountry ?? null
    await orders.close(tx, order.id, { userId, cardCountry, ...(guest ? { madeAccount: guest.tokenId !== null } : {}) })
    const buyer = await lockBuyer(tx, userId)

    const state = stateOf(subscription, order.billingType)
    const refusal = state.endedAt === null ? await useCodeOrRefuse(tx, buyer, order) : null
    const movements = refusal ? [] : movementsOf(subscription, endOf(state), now())
    const purchase = await recordPurchase(
      tx,
      {
        userId,
        productId: order.productId,
        createdAt: now(),
        stripeSubscriptionId: subscription.id,
        paymentIntentId: order.paymentIntentId,
        ...state,
        arr: arrOf(movements),
        ...(refusal ? endedState(refusal.because, now()) : {}),
      },
      subscription,
    )
    await ledger.record(tx, purchase, movements)
    await access.purchasesChanged(tx, userId)

    const hadAccountAlready = guest?.tokenId === null
    const isHandedOver = hadAccountAlready && !buyer.verifiedAt && !refusal
    const isForOwnersAccount = hadAccountAlready && !isHandedOver
    const username = order.tradingViewUsername
    // A guest may type anyone's address, so the owner of an existing account confirms the username.
    if (username && !refusal && !isForOwnersAccount)
      await access.usernameEntered(tx, { userId, username, productId: order.productId })

    if (refusal) await refundDuplicate(tx, { subscriptionId: subscription.id })
    if (hasLatePayment(subscription)) await refundLate(tx, { subscriptionId: subscription.id })

    let newAccount: NewAccount | undefined = guest?.tokenId ? { tokenId: guest.tokenId, username } : undefined
    if (isHandedOver) {
      const tokenId = await accounts.guests.handOverToMailboxOwner(tx, buyer.id)
      newAccount = { tokenId, username, handedOver: { paymentIntentId: order.paymentIntentId } }
      // Other unpaid checkouts may still be open in a browser; paying one would only lead to a refund.
      for (const subscriptionId of await orders.logins.endForAccount(tx, buyer))
        await refundDuplicate(tx, { subscriptionId })
    }

    if (buyer.deletedAt) return
    await notices.emailAboutChange(tx, {
      before: undefined,
      after: purchase,
      to: isHandedOver ? { ...buyer, name: '' } : buyer,
      code: refusal && 'code' in refusal ? refusal.code : '',
      ...(isForOwnersAccount ? { attached: { username, paymentIntentId: order.paymentIntentId } } : {}),
      ...(newAccount ? { newAccount } : {}),
      latestPaid: latestPaidInvoice(subscription) ?? null,
      unlocksItself: await access.isUnlockedByConnector(tx, order.productId),
      needsUsername: !username && !buyer.tradingViewUsername && !refusal,
      mayGetNews: !hadAccountAlready && mayGetNews(order),
    })
  }

  /** Returns the reason if the payment must be refunded. Expects a locked buyer. */
  async function useCodeOrRefuse(tx: Transaction, buyer: typeof users.$inferSelect, order: OrderRow) {
    if (buyer.deletedAt || (await hasOtherPurchase(tx, buyer.id, order))) return { because: 'duplicate' as const }
    return codes.use(tx, order, { userId: buyer.id, email: order.email })
  }

  async function updateFromStripe(tx: Transaction, order: OrderRow, subscription: Subscription) {
    if (order.userId) await lockPerson(tx, order.userId)
    const [before] = await tx
      .select()
      .from(purchases)
      .where(eq(purchases.stripeSubscriptionId, subscription.id))
      .for('no key update')
    // A deleted purchase stays deleted, but later refunds and disputes still reach the books.
    if (!before) {
      if (order.userId) await recordBooks(tx, { id: null, userId: order.userId }, subscription)
      return
    }

    const { changes, movements, duplicateSince } = await decideChanges(tx, before, order, subscription, now())
    const isUnchanged = isDeepStrictEqual({ ...before, ...changes }, before)
    // Stripe sends about a dozen events per payment, and most change nothing.
    const areBooksCurrent = isUnchanged && (await isRecorded(tx, subscription))
    const changedRefunds = areBooksCurrent ? [] : await recordBooks(tx, before, subscription)
    if (changedRefunds.some(({ status }) => status === 'succeeded'))
      await creditRefunds(tx, { subscriptionId: subscription.id })
    if (isUnchanged) return

    const after = await updatePurchase(tx, before.id, changes)
    if (movements) await ledger.record(tx, before, movements)
    if (subscription.switchId && after?.orderedAt)
      await orders.switches.close(tx, subscription.switchId, after.orderedAt)
    await access.purchasesChanged(tx, before.userId)

    const isDisputeDecided = before.isDisputed && !changes.isDisputed
    await queueRefunds(deps, tx, { before, after, subscription, duplicateSince, isDisputeDecided })

    if (after)
      await notices.emailAboutChange(tx, { before, after, latestPaid: latestPaidInvoice(subscription) ?? null })
    for (const { amount } of changedRefunds.filter(({ status }) => status === 'failed'))
      await notices.emailRefundFailed(tx, before, amount)
  }

  return async function apply(tx, orderBefore, subscription) {
    const order = await orders.advanceVersion(tx, orderBefore)
    if (!order) return false

    const isGivenUp = !order.closedAt && subscription.endedAt !== null && subscription.payments.length === 0
    if (isUnpaidAttempt(subscription) || isGivenUp) {
      if (subscription.endedAt || subscription.status === 'incomplete_expired') await orders.close(tx, order.id)
    } else if (order.closedAt) await updateFromStripe(tx, order, subscription)
    else await createPurchase(tx, order, subscription)
    return true
  }
}

/** `movements` is null for a refused purchase, which never counts as revenue. */
async function decideChanges(
  tx: Transaction,
  before: PurchaseRow,
  order: OrderRow,
  subscription: Subscription,
  now: Date,
) {
  const state = stateAfterSync(before, subscription, order.billingType)
  if (isRefused(before)) {
    const { refundedAmount, isDisputed, disputedAmount, lostAmount, disputeDueAt } = state
    const { failedRefunds, uncoveredNotes } = state
    const amounts = { refundedAmount, isDisputed, disputedAmount, lostAmount, disputeDueAt }
    const changes = { ...amounts, failedRefunds, uncoveredNotes, arr: 0 }
    return { changes, movements: null, duplicateSince: null }
  }

  const hasResumed = !isLive(before.status) && isLive(state.status)
  const isDuplicate = hasResumed && (await hasOtherPurchase(tx, before.userId, order))
  // The buyer bought another one during the pause, so payments since then are refunded and never count.
  const duplicateSince = isDuplicate ? (before.pausedAt ?? before.endedAt) : null
  const end = duplicateSince ? { at: duplicateSince, cause: 'duplicate' as const } : endOf(state)
  const movements = movementsOf(subscription, end, now)
  const changes = { ...state, arr: arrOf(movements), ...(isDuplicate ? endedState('duplicate', now) : {}) }
  return { changes, movements, duplicateSince }
}

async function queueRefunds(
  { refundLate, refundDuplicate, refundUnusedTerm }: RefundJobs,
  tx: Transaction,
  { before, after, subscription, duplicateSince, isDisputeDecided }: PurchaseUpdate,
) {
  const subscriptionId = subscription.id
  if (hasLatePayment(subscription)) await refundLate(tx, { subscriptionId })
  if (duplicateSince) await refundDuplicate(tx, { subscriptionId, since: duplicateSince.toISOString() })

  // A refused purchase with a disputed payment can't be refunded before the bank has decided.
  const [newestPayment] = subscription.payments
  if (isDisputeDecided && isRefused(before) && newestPayment) {
    const justBeforeNewest = new Date(newestPayment.paidAt.getTime() - 1000)
    await refundDuplicate(tx, { subscriptionId, since: justBeforeNewest.toISOString() })
  }

  const wasRefundQueued = before.endedAt !== null && !isDisputeDecided
  const amount = after && !wasRefundQueued ? unusedTermRefundDue(after) : 0
  if (amount > 0) await refundUnusedTerm(tx, { subscriptionId, amount })
}

const hasLatePayment = ({ endedAt, payments }: Subscription) =>
  endedAt !== null &&
  payments.some((payment) => payment.paidAt > endedAt && payment.refunded < payment.amount && isRefundable(payment))

const isRefused = ({ endedBecause }: PurchaseRow) => refusedPurchaseReasons.some((reason) => reason === endedBecause)

const endedState = (endedBecause: EndReason, endedAt: Date) => ({
  status: 'cancelled' as const,
  nextAmount: null,
  laterAmount: null,
  laterAt: null,
  endedAt,
  endedBecause,
})

const endOf = ({ endedAt, endedBecause }: Pick<PurchaseRow, 'endedAt' | 'endedBecause'>) =>
  endedAt && { at: endedAt, cause: endedBecause ?? 'cancelled' }

function stateAfterSync(before: PurchaseRow, subscription: Subscription, orderedPlan: BillingType) {
  const { restRefund: promisedBefore, refundedElsewhere } = before
  const failedRefunds = failedRefundsOf(subscription.payments)
  const state = stateOf(subscription, orderedPlan)
  // A refund that failed later doesn't change why access ended.
  const remainsRefunded = state.endedAt && failedRefunds > 0 && before.endedBecause === 'refunded'
  // Stripe keeps the promise of a cancellation that was undone there, so an immediate end alone doesn't revive it.
  const isPromiseCurrent = subscription.endsAt || promisedBefore
  return {
    ...state,
    missingSince: null,
    failedRefunds: Math.max(0, failedRefunds - refundedElsewhere),
    uncoveredNotes: Math.max(0, subscription.uncoveredNotes - refundedElsewhere),
    restRefund: isPromiseCurrent ? state.restRefund : null,
    ...(remainsRefunded ? { status: 'cancelled' as const, endedBecause: 'refunded' as const } : {}),
  }
}

export async function recordPurchase(tx: Transaction, row: typeof purchases.$inferInsert, subscription: Subscription) {
  const purchase = await insertPurchase(tx, row)
  await recordBooks(tx, purchase, subscription)
  return purchase
}

async function recordBooks(tx: Transaction, purchase: BookedPurchase, subscription: Subscription) {
  const changedRefunds = await recordInvoices(tx, purchase, subscription)
  await recordDisputes(tx, subscription)
  return changedRefunds
}

/** Locks the buyer's row, so that two payments of one account are recorded in order. */
export async function lockBuyer(tx: Transaction, userId: string) {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  if (!user) throw new Error(`There is no user ${userId}`)
  return user
}

export async function hasOtherPurchase(tx: Transaction, userId: string, { productId, subscriptionId }: OrderRow) {
  const isOtherPurchase = and(
    eq(purchases.userId, userId),
    eq(purchases.productId, productId),
    isOngoingPurchase,
    sql`${purchases.stripeSubscriptionId} is distinct from ${subscriptionId}`,
  )
  return (await tx.$count(purchases, isOtherPurchase)) > 0
}
