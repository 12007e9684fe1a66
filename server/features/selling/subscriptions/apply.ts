import { isDeepStrictEqual } from 'node:util'
import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { purchases, users } from '#server/database/schema.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import { recordDisputes } from '../disputes/disputes.ts'
import { type BookedPurchase, isRecorded, latestPaidInvoice, recordInvoices } from '../invoices/invoices.ts'
import { arrOf, type Ledger, movementsOf } from '../ledger/ledger.ts'
import type { NewAccount, Notices } from '../notices/notices.ts'
import { mayGetNews, type OrderRow, type Orders } from '../orders/orders.ts'
import { type AccessEffects, insertPurchase, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'
import { isRefundable, type RefundJobs } from '../refunds/refunds.ts'
import { decideChanges, endedState, endOf, hasOtherPurchase, isRefused } from './decide-changes.ts'
import { unusedTermRefundDue } from './notice-period.ts'
import { isUnpaidAttempt, stateOf } from './state.ts'

/** Implemented by the checkout module, which imports this one. */
type PaidPlaces = {
  recordPlace(tx: Transaction, order: OrderRow, buyer: { userId: string; hadAccountAlready: boolean }): Promise<void>
}

export type ApplyDeps = Pick<Context, 'now'> &
  RefundJobs & {
    accounts: Pick<Accounts, 'guests'>
    orders: Orders
    customers: PaidPlaces
    access: AccessEffects
    codes: Pick<Codes, 'use'>
    ledger: Pick<Ledger, 'record'>
    notices: Pick<Notices, 'emailAboutChange' | 'emailRefundFailed'>
  }

type PurchaseUpdate = {
  purchaseBefore: PurchaseRow
  purchase: PurchaseRow | undefined
  subscription: Subscription
  /** For a second purchase of the same product: payments after this time are refunded. */
  duplicateSince: Date | null
  isDisputeDecided: boolean
}

/** Returns false, and changes nothing, if another process has updated the order since it was read. */
export type Apply = (tx: Transaction, order: OrderRow, subscription: Subscription) => Promise<boolean>

export function createApply(deps: ApplyDeps): Apply {
  const { now, accounts, orders, customers, access, codes, ledger, notices } = deps
  const { refundDuplicate, refundLate, creditRefunds } = deps

  async function createPurchase(tx: Transaction, order: OrderRow, subscription: Subscription) {
    const guest = order.userId ? undefined : await accounts.guests.findOrCreateForGuest(tx, order.email)
    const userId = order.userId ?? guest?.id
    if (!userId) throw new Error(`Order ${order.id} has no buyer`)
    const cardCountry = subscription.payments.at(-1)?.cardCountry ?? null
    // Only a new account has a link for its first password. Undefined if the buyer was logged in.
    const madeAccount = guest && guest.tokenId !== null
    await orders.close(tx, order.id, { userId, cardCountry, madeAccount })
    const buyer = await lockBuyer(tx, userId)

    const state = stateOf(subscription, order.billingType)
    // A subscription that has already ended is no duplicate and uses no code.
    const refusal = state.endedAt === null ? await useCodeOrRefuse(codes, tx, buyer, order) : null
    const refusedState = refusal ? endedState(refusal.because, now()) : {}
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
        ...refusedState,
      },
      subscription,
      creditRefunds,
    )
    await ledger.record(tx, purchase, movements)
    await access.purchasesChanged(tx, userId)

    const hadAccountAlready = madeAccount === false
    // A stranger may have signed up with the address without confirming it.
    const isHandedOver = hadAccountAlready && !buyer.verifiedAt && !refusal
    const isAttachedToAccount = hadAccountAlready && !isHandedOver
    if (!refusal) await customers.recordPlace(tx, order, { userId, hadAccountAlready })
    const username = order.tradingViewUsername
    // A guest may type anyone's address, so the owner of an existing account confirms the username.
    if (username && !refusal && !isAttachedToAccount)
      await access.usernameEntered(tx, { userId, username, productId: order.productId })

    if (refusal) await refundDuplicate(tx, { subscriptionId: subscription.id })
    if (hasLatePayment(subscription)) await refundLate(tx, { subscriptionId: subscription.id })

    let newAccount: NewAccount | undefined
    if (guest?.tokenId) newAccount = { tokenId: guest.tokenId, username }
    if (isHandedOver) {
      const tokenId = await accounts.guests.handOverToMailboxOwner(tx, buyer.id)
      newAccount = { tokenId, username, handedOver: { paymentIntentId: order.paymentIntentId } }
      // Other unpaid checkouts may still be open in a browser; paying one would only lead to a refund.
      for (const subscriptionId of await orders.logins.endForAccount(tx, buyer))
        await refundDuplicate(tx, { subscriptionId })
    }

    if (buyer.deletedAt) return
    await notices.emailAboutChange(tx, {
      purchaseBefore: undefined,
      purchase,
      // The name was entered by the stranger.
      to: isHandedOver ? { ...buyer, name: '' } : buyer,
      code: refusal?.code,
      attached: isAttachedToAccount ? { username, paymentIntentId: order.paymentIntentId } : undefined,
      newAccount,
      latestPaid: latestPaidInvoice(subscription),
      unlocksItself: await access.isUnlockedByConnector(tx, order.productId),
      needsUsername: !username && !buyer.tradingViewUsername && !refusal,
      mayGetNews: !hadAccountAlready && mayGetNews(order),
    })
  }

  async function updateFromStripe(tx: Transaction, order: OrderRow, subscription: Subscription) {
    if (order.userId) await lockPerson(tx, order.userId)
    const [purchaseBefore] = await tx
      .select()
      .from(purchases)
      .where(eq(purchases.stripeSubscriptionId, subscription.id))
      .for('no key update')
    // A deleted purchase stays deleted, but later refunds and disputes still reach the books.
    if (!purchaseBefore) {
      if (order.userId) await recordBooks(tx, { id: null, userId: order.userId }, subscription, creditRefunds)
      return
    }

    const { changes, movements, duplicateSince } = await decideChanges(tx, purchaseBefore, order, subscription, now())
    const isUnchanged = isDeepStrictEqual({ ...purchaseBefore, ...changes }, purchaseBefore)
    // Stripe sends about a dozen events per payment, and most change nothing.
    const areBooksCurrent = isUnchanged && (await isRecorded(tx, subscription))
    const changedRefunds = areBooksCurrent ? [] : await recordBooks(tx, purchaseBefore, subscription, creditRefunds)
    if (isUnchanged) return

    const purchase = await updatePurchase(tx, purchaseBefore.id, changes)
    if (movements) await ledger.record(tx, purchaseBefore, movements)
    if (subscription.switchId && purchase?.orderedAt)
      await orders.switches.close(tx, subscription.switchId, purchase.orderedAt)
    await access.purchasesChanged(tx, purchaseBefore.userId)

    const isDisputeDecided = purchaseBefore.isDisputed && !changes.isDisputed
    await queueRefunds(deps, tx, { purchaseBefore, purchase, subscription, duplicateSince, isDisputeDecided })

    if (purchase) {
      const latestPaid = latestPaidInvoice(subscription)
      await notices.emailAboutChange(tx, { purchaseBefore, purchase, latestPaid })
    }
    for (const { status, amount } of changedRefunds)
      if (status === 'failed') await notices.emailRefundFailed(tx, purchaseBefore, amount)
  }

  return async function apply(tx, orderBefore, subscription) {
    const order = await orders.advanceVersion(tx, orderBefore)
    if (!order) return false

    const { endedAt, status, payments } = subscription
    const isAbandoned = !order.closedAt && endedAt !== null && payments.length === 0
    if (isAbandoned || isUnpaidAttempt(subscription)) {
      if (endedAt || status === 'incomplete_expired') await orders.close(tx, order.id)
      return true
    }
    if (order.closedAt) await updateFromStripe(tx, order, subscription)
    else await createPurchase(tx, order, subscription)
    return true
  }
}

/** Returns the reason if the payment must be refunded. Expects a locked buyer. */
async function useCodeOrRefuse(
  codes: ApplyDeps['codes'],
  tx: Transaction,
  buyer: typeof users.$inferSelect,
  order: OrderRow,
) {
  // A payment for an account that was deleted meanwhile is refunded like a second purchase.
  const isDuplicate = buyer.deletedAt !== null || (await hasOtherPurchase(tx, buyer.id, order))
  if (isDuplicate) return { because: 'duplicate' as const, code: undefined }
  return codes.use(tx, order, { userId: buyer.id, email: order.email })
}

async function queueRefunds(
  { refundLate, refundDuplicate, refundUnusedTerm }: RefundJobs,
  tx: Transaction,
  { purchaseBefore, purchase, subscription, duplicateSince, isDisputeDecided }: PurchaseUpdate,
) {
  const subscriptionId = subscription.id
  if (hasLatePayment(subscription)) await refundLate(tx, { subscriptionId })
  if (duplicateSince) await refundDuplicate(tx, { subscriptionId, since: duplicateSince.toISOString() })

  // A refused purchase with a disputed payment can't be refunded before the bank has decided.
  const [newestPayment] = subscription.payments
  if (isDisputeDecided && isRefused(purchaseBefore) && newestPayment) {
    // The job refunds payments after `since`, and Stripe's times are whole seconds.
    const secondBeforeNewest = new Date(newestPayment.paidAt.getTime() - 1000)
    await refundDuplicate(tx, { subscriptionId, since: secondBeforeNewest.toISOString() })
  }

  // The refund was queued when the purchase ended, but a dispute may have blocked it until now.
  const wasRefundQueued = purchaseBefore.endedAt !== null && !isDisputeDecided
  const amount = purchase && !wasRefundQueued ? unusedTermRefundDue(purchase) : 0
  if (amount > 0) await refundUnusedTerm(tx, { subscriptionId, amount })
}

function hasLatePayment({ endedAt, payments }: Subscription) {
  if (endedAt === null) return false
  const latePayments = payments.filter(({ paidAt }) => paidAt > endedAt)
  return latePayments.some((payment) => payment.refunded < payment.amount && isRefundable(payment))
}

/** Without `creditRefunds`, earlier refunds get no credit notes, because another shop made them. */
export async function recordPurchase(
  tx: Transaction,
  row: typeof purchases.$inferInsert,
  subscription: Subscription,
  creditRefunds?: RefundJobs['creditRefunds'],
) {
  const purchase = await insertPurchase(tx, row)
  await recordBooks(tx, purchase, subscription, creditRefunds)
  return purchase
}

async function recordBooks(
  tx: Transaction,
  purchase: BookedPurchase,
  subscription: Subscription,
  creditRefunds?: RefundJobs['creditRefunds'],
) {
  const changedRefunds = await recordInvoices(tx, purchase, subscription)
  await recordDisputes(tx, subscription)
  const refundIds = changedRefunds.filter(({ status }) => status === 'succeeded').map(({ id }) => id)
  if (refundIds.length > 0) await creditRefunds?.(tx, { subscriptionId: subscription.id, refundIds })
  return changedRefunds
}

/** Locks the buyer's row, so that two payments of one account are recorded in order. */
export async function lockBuyer(tx: Transaction, userId: string) {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  if (!user) throw new Error(`There is no user ${userId}`)
  return user
}
