import { and, eq, isNull } from 'drizzle-orm'
import { planOf, plansWithPrice } from '#contract/plans.ts'
import { withdrawalDay, withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import type { PaidPeriod } from '#server/gateways/stripe.ts'
import { chargesOf, graceEnd, type PurchaseRow, periodOf } from '../purchases/purchases.ts'

export { createAnnouncements } from './announcements.ts'
export { createExpiryNotices } from './expiry-notices.ts'
export { createNextCharge, type NextChargeOf } from './next-charge.ts'

export type NewAccount = {
  tokenId: string
  username: string | null
  /** Set if a stranger had signed up with the address without confirming it. */
  handedOver?: { paymentIntentId: string | null }
}

type Change = {
  before: PurchaseRow | undefined
  after: PurchaseRow
  /** Recipient, if not the buyer's account. */
  to?: { email: string; name: string }
  /** Discount code that the payment was refused for. */
  code?: string
  /** Bought by a guest for an existing account, with the username they typed. */
  attached?: { username: string | null; paymentIntentId: string | null }
  /** Made by a guest's payment: one email has the receipt, the way to set a password and the state of the access. */
  newAccount?: NewAccount
  money?: { paid: PaidPeriod | null }
  /** The first receipt says when access comes. */
  unlocksItself?: boolean
  /** The first receipt asks for the missing username. */
  needsUsername?: boolean
  /** The first receipt has a link to object. */
  mayGetNews?: boolean
}

type NoticeDeps = Pick<Context, 'mails' | 'attempts' | 'supportEmail' | 'catalog' | 'now'>

/** Emails about changes of a purchase, queued in the transaction of the change. */
export type Notices = {
  tell(tx: Transaction, change: Change): Promise<void>
  /** The buyer's bank did not take a refund, and only the buyer knows another way. */
  tellRefundFailed(tx: Transaction, purchase: PurchaseRow, amount: number): Promise<void>
  /** The seller sends it again, with a link that needs no login. */
  tellUnpaid(tx: Transaction, purchase: PurchaseRow, invoiceId: string): Promise<void>
  tellExtended(tx: Transaction, purchase: PurchaseRow, until: Date): Promise<void>
}

const longAgo = new Date(0)

export function createNotices({ mails, attempts, supportEmail, catalog, now }: NoticeDeps): Notices {
  const shortestPlan = (productId: string) => plansWithPrice(catalog.findById(productId)?.prices ?? {})[0]

  async function whom(tx: Transaction, purchase: PurchaseRow) {
    const buyer = await buyerOf(tx, purchase)
    const product = (await catalog.findRow(purchase.productId)).name
    return { to: buyer?.email, about: { name: buyer?.name ?? '', product } }
  }

  /** Limits emails to an unproven address to one a day: a guest can buy with anyone's address. */
  async function mayHearOfChange(tx: Transaction, { userId }: PurchaseRow) {
    const [user] = await tx.select({ verifiedAt: users.verifiedAt }).from(users).where(eq(users.id, userId))
    const oneADay = { requests: 1, seconds: 86_400 }
    return Boolean(user?.verifiedAt) || attempts.allows('subscription change', userId, oneADay, { tx })
  }

  return {
    async tell(tx, change) {
      const to = change.to ?? (await buyerOf(tx, change.after))
      if (!to) return
      const { before, after, attached, newAccount, code = '' } = change
      const { billingType, price: amount, status, endsAt, endedBecause, currentPeriodEnd } = after
      const { name: product, slug } = await catalog.findRow(after.productId)
      const isOnSale = catalog.productsOnSale().some(({ id }) => id === after.productId)
      const about = { name: to.name, product }
      const subscription = { ...about, billingType, period: periodOf(after), amount }
      const shortest = shortestPlan(after.productId)
      const isLonger = shortest !== undefined && planOf(billingType).months > shortest.months

      const refund = { ...about, amount: after.lastPaidAmount ?? amount }
      if (endedBecause === 'duplicate') {
        if (!before?.endedBecause) await mails.send(tx, to.email, 'duplicateRefunded', refund)
        return
      }
      if (endedBecause === 'code_used_up' || endedBecause === 'code_new_only') {
        if (!before) await mails.send(tx, to.email, 'codeRefunded', { ...refund, code, because: endedBecause })
        return
      }
      if (after.lastPaidAt && after.lastPaidAt > (before?.lastPaidAt ?? longAgo))
        await mails.send(tx, to.email, 'receipt', { ...subscription, ...receiptOf(change, after.lastPaidAt) })
      else if (attached) await mails.send(tx, to.email, 'purchaseAttached', { ...subscription, ...attached })
      else if (newAccount?.handedOver)
        await mails.send(tx, to.email, 'accountHandedOver', { tokenId: newAccount.tokenId, ...newAccount.handedOver })
      else if (newAccount) await mails.send(tx, to.email, 'setPassword', { name: '', tokenId: newAccount.tokenId })
      if (status === 'past_due' && after.dunningStep > (before?.dunningStep ?? 0))
        await mails.send(tx, to.email, 'paymentFailed', {
          ...subscription,
          charged: after.dueAmount ?? amount,
          awaitsBank: after.awaitsBank,
          refusal: after.cardRefusal,
          step: after.dunningStep >= 3 ? 3 : after.dunningStep === 2 ? 2 : 1,
          endsAt: after.pastDueSince ? graceEnd(after.pastDueSince).toISOString() : null,
        })
      if (
        status === 'pending_cancel' &&
        endsAt &&
        before?.status !== 'pending_cancel' &&
        (await mayHearOfChange(tx, after))
      )
        await mails.send(tx, to.email, 'subscriptionWillEnd', {
          ...about,
          period: periodOf(after),
          endsAt: endsAt.toISOString(),
          refund: after.restRefund ?? 0,
          shorter: isLonger ? shortest.key : null,
          withdrawBy: withdrawalEnds(after.createdAt) > now() ? withdrawalDay(after.createdAt).toISOString() : null,
        })
      if (status === 'paused' && before?.status !== 'paused')
        await mails.send(tx, to.email, 'subscriptionPaused', about)
      const was = before?.status
      const isResumed = (was === 'pending_cancel' || was === 'paused') && status === 'active' && !endsAt
      if (isResumed && currentPeriodEnd && (await mayHearOfChange(tx, after)))
        await mails.send(tx, to.email, 'subscriptionResumed', {
          ...subscription,
          renewsAt: currentPeriodEnd.toISOString(),
          wasPaused: was === 'paused',
        })
      const endsNow = endedBecause && !before?.endedBecause
      const refundedNow = after.refundedAmount - (before?.refundedAmount ?? 0)
      // A payment that is refunded as the subscription ends: one email tells both.
      const isRefundedEnd = endsNow && endedBecause === 'refunded' && refundedNow > 0
      if (refundedNow > 0)
        await mails.send(tx, to.email, 'refunded', { ...about, amount: refundedNow, hasEnded: !!isRefundedEnd })
      if (endsNow && !isRefundedEnd)
        await mails.send(tx, to.email, 'subscriptionEnded', {
          ...about,
          // A purchase that the seller ended as gone at Stripe reads as cancelled.
          because: endedBecause === 'gone' ? 'cancelled' : endedBecause,
          restart: isLonger && endedBecause === 'cancelled' && isOnSale ? { slug, billing: shortest.key } : null,
        })
      // A booking that ends on its day has no reason.
      if (status === 'expired' && !endedBecause && before?.status === 'active')
        await mails.send(tx, to.email, 'subscriptionEnded', { ...about, because: 'over' })
      if (after.isDisputed && !before?.isDisputed)
        await mails.send(tx, supportEmail, 'disputeOpened', { product, amount: after.disputedAmount, email: to.email })
    },

    async tellRefundFailed(tx, purchase, amount) {
      const { to, about } = await whom(tx, purchase)
      if (to) await mails.send(tx, to, 'refundFailed', { ...about, amount })
    },

    async tellUnpaid(tx, purchase, invoiceId) {
      const { to, about } = await whom(tx, purchase)
      const { id: purchaseId, billingType, price: amount, dueAmount, pastDueSince } = purchase
      if (to)
        await mails.send(tx, to, 'paymentFailed', {
          ...about,
          billingType,
          period: periodOf(purchase),
          amount,
          charged: dueAmount ?? amount,
          refusal: purchase.cardRefusal,
          step: 2,
          endsAt: pastDueSince ? graceEnd(pastDueSince).toISOString() : null,
          invoice: { purchaseId, invoiceId },
        })
    },

    async tellExtended(tx, purchase, until) {
      const { to, about } = await whom(tx, purchase)
      const renews = purchase.paidThrough === 'stripe'
      if (to) await mails.send(tx, to, 'subscriptionExtended', { ...about, until: until.toISOString(), renews })
    },
  }
}

async function buyerOf(tx: Transaction, { userId }: PurchaseRow) {
  const [user] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
  return user
}

function receiptOf(
  { before, after, money, attached, newAccount, unlocksItself, needsUsername, mayGetNews }: Change,
  paidAt: Date,
) {
  const { status, billingType, currentPeriodEnd, price } = after
  const charged = after.lastPaidAmount ?? price
  const isLonger = before && planOf(billingType).months > planOf(before.billingType).months
  return {
    charged,
    charges: chargesOf(after, charged),
    paidAt: paidAt.toISOString(),
    renewsAt: status === 'active' ? (currentPeriodEnd?.toISOString() ?? null) : null,
    purchaseId: after.id,
    invoiceId: money?.paid?.invoiceId ?? null,
    isFirst: before === undefined,
    switched: isLonger ? { credit: money?.paid?.credit ?? 0, from: periodOf(before) } : null,
    ...(unlocksItself === undefined ? {} : { unlocksItself }),
    ...(attached ? { attached } : {}),
    ...(newAccount ? { newAccount } : {}),
    ...(needsUsername ? { needsUsername } : {}),
    ...(mayGetNews ? { newsTo: after.userId } : {}),
    tax: money?.paid?.tax ?? null,
  }
}
