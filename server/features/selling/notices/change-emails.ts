import { eq } from 'drizzle-orm'
import { type BillingType, planOf } from '#contract/plans.ts'
import type { EndReason, refusedPurchaseReasons } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import type { PaidPeriod } from '#server/gateways/stripe.ts'
import { chargesOf, graceEnd, type PurchaseRow, periodOf, withdrawalOf } from '../purchases/purchases.ts'

export type NewAccount = {
  tokenId: string
  username: string | null
  /** Set if a stranger had signed up with the address without confirming it. */
  handedOver?: { paymentIntentId: string | null }
}

export type PurchaseChange = {
  /** Undefined for a new purchase. */
  purchaseBefore: PurchaseRow | undefined
  purchase: PurchaseRow
  /** Recipient; the buyer's account by default. */
  to?: { email: string; name: string }
  /** Discount code that the payment was refused for. */
  code?: string | undefined
  /** Set if a guest bought for an existing account: the username they typed, and their payment. */
  attached?: { username: string | null; paymentIntentId: string | null } | undefined
  /** Set if a guest's payment made the account. The receipt then also has the link to set a password. */
  newAccount?: NewAccount | undefined
  latestPaid?: PaidPeriod | undefined
  /** True if the connector unlocks buyers of this product. */
  unlocksItself?: boolean
  needsUsername?: boolean
  /** True if the first receipt must have a link to object to news. */
  mayGetNews?: boolean
}

type AcceptedChange = PurchaseChange & {
  endedBecause: Exclude<EndReason, (typeof refusedPurchaseReasons)[number]> | null
}

export type ChangeTexts = {
  nameAndProduct: { name: string; product: string }
  subscription: { name: string; product: string; billingType: BillingType; period: string; amount: number }
  slug: string
  isOnSale: boolean
  /** Shortest plan, if it is shorter than the purchased one. */
  shorterPlan: BillingType | null
}

type SendIfChanged<C> = (tx: Transaction, change: C, to: string, texts: ChangeTexts) => Promise<void>

type ChangeEmails = {
  sendReceiptOrAccount: SendIfChanged<PurchaseChange>
  sendPaymentFailed: SendIfChanged<PurchaseChange>
  sendStatusChange: SendIfChanged<PurchaseChange>
  sendRefundAndEnd: SendIfChanged<AcceptedChange>
}

const longAgo = new Date(0)

export function createChangeEmails(deps: Pick<Context, 'mails' | 'attempts' | 'now'>): ChangeEmails {
  const { mails, attempts, now } = deps

  /** Allows one email a day while the address is unproven, because a guest can buy with anyone's address. */
  async function mayEmailStatus(tx: Transaction, { userId }: PurchaseRow) {
    const [user] = await tx.select({ verifiedAt: users.verifiedAt }).from(users).where(eq(users.id, userId))
    const oneADay = { requests: 1, seconds: 86_400 }
    return Boolean(user?.verifiedAt) || attempts.countAndCheck('subscription change', userId, oneADay, { tx })
  }

  async function sendReceiptOrAccount(tx: Transaction, change: PurchaseChange, to: string, texts: ChangeTexts) {
    const { purchaseBefore, purchase, attached, newAccount } = change
    const { lastPaidAt } = purchase
    const hasNewPayment = lastPaidAt !== null && lastPaidAt > (purchaseBefore?.lastPaidAt ?? longAgo)
    if (hasNewPayment) await mails.send(tx, to, 'receipt', { ...texts.subscription, ...receiptOf(change, lastPaidAt) })
    else if (attached) await mails.send(tx, to, 'purchaseAttached', { ...texts.subscription, ...attached })
    else if (newAccount?.handedOver)
      await mails.send(tx, to, 'accountHandedOver', { tokenId: newAccount.tokenId, ...newAccount.handedOver })
    else if (newAccount) await mails.send(tx, to, 'setPassword', { name: '', tokenId: newAccount.tokenId })
  }

  async function sendPaymentFailed(tx: Transaction, change: PurchaseChange, to: string, texts: ChangeTexts) {
    const { purchaseBefore, purchase } = change
    const { status, dunningStep, dueAmount, price, pastDueSince } = purchase
    const hasNewDunningStep = dunningStep > (purchaseBefore?.dunningStep ?? 0)
    if (status !== 'past_due' || !hasNewDunningStep) return
    await mails.send(tx, to, 'paymentFailed', {
      ...texts.subscription,
      charged: dueAmount ?? price,
      awaitsBank: purchase.awaitsBank,
      refusal: purchase.cardRefusal,
      step: Math.min(dunningStep, 3) as 1 | 2 | 3,
      endsAt: pastDueSince ? graceEnd(pastDueSince).toISOString() : null,
    })
  }

  async function sendStatusChange(tx: Transaction, change: PurchaseChange, to: string, texts: ChangeTexts) {
    const { purchaseBefore, purchase } = change
    const { status, endsAt, currentPeriodEnd } = purchase
    const statusBefore = purchaseBefore?.status
    const { nameAndProduct, subscription, shorterPlan } = texts

    const endBefore = purchaseBefore?.endsAt
    const endsEarlier = endsAt && endBefore && endsAt < endBefore
    const isCancelled = status === 'pending_cancel' && (statusBefore !== 'pending_cancel' || endsEarlier)
    if (isCancelled && endsAt && (await mayEmailStatus(tx, purchase))) {
      const withdrawal = withdrawalOf(purchase, now())
      await mails.send(tx, to, 'subscriptionWillEnd', {
        ...nameAndProduct,
        period: periodOf(purchase),
        endsAt: endsAt.toISOString(),
        refund: purchase.unusedTermRefund ?? 0,
        shorter: shorterPlan,
        withdrawal: withdrawal && { ...withdrawal, by: withdrawal.by.toISOString() },
      })
    }

    if (status === 'paused' && statusBefore !== 'paused') await mails.send(tx, to, 'subscriptionPaused', nameAndProduct)

    const couldResume = statusBefore === 'pending_cancel' || statusBefore === 'paused'
    const isResumed = couldResume && status === 'active' && !endsAt
    if (isResumed && currentPeriodEnd && (await mayEmailStatus(tx, purchase)))
      await mails.send(tx, to, 'subscriptionResumed', {
        ...subscription,
        renewsAt: currentPeriodEnd.toISOString(),
        wasPaused: statusBefore === 'paused',
      })
  }

  async function sendRefundAndEnd(tx: Transaction, change: AcceptedChange, to: string, texts: ChangeTexts) {
    const { purchaseBefore, purchase, endedBecause } = change
    const { nameAndProduct, slug, isOnSale, shorterPlan } = texts
    const hasJustEnded = endedBecause !== null && !purchaseBefore?.endedBecause
    const newlyRefunded = purchase.refundedAmount - (purchaseBefore?.refundedAmount ?? 0)

    // If a refund ended the subscription, one email is about both.
    const wasEndedByRefund = hasJustEnded && endedBecause === 'refunded' && newlyRefunded > 0
    if (newlyRefunded > 0)
      await mails.send(tx, to, 'refunded', { ...nameAndProduct, amount: newlyRefunded, hasEnded: wasEndedByRefund })

    if (hasJustEnded && !wasEndedByRefund) {
      const canRestart = endedBecause === 'cancelled' && isOnSale
      await mails.send(tx, to, 'subscriptionEnded', {
        ...nameAndProduct,
        // Buyers need not know that Stripe had lost the subscription.
        because: endedBecause === 'gone' ? 'cancelled' : endedBecause,
        restart: shorterPlan && canRestart ? { slug, billing: shorterPlan } : null,
      })
    }

    // A purchase that expires without a reason is a booking by hand on its last day.
    const isBookingOver = purchaseBefore?.status === 'active' && purchase.status === 'expired' && !endedBecause
    if (isBookingOver) await mails.send(tx, to, 'subscriptionEnded', { ...nameAndProduct, because: 'over' })
  }

  return { sendReceiptOrAccount, sendPaymentFailed, sendStatusChange, sendRefundAndEnd }
}

function receiptOf(change: PurchaseChange, paidAt: Date) {
  const { purchaseBefore, purchase, latestPaid } = change
  const { status, billingType, currentPeriodEnd, price, orderedAt, paidFrom } = purchase
  const charged = purchase.lastPaidAmount ?? price
  const renewsAt = status === 'active' ? currentPeriodEnd : null
  const hasSwitched = purchaseBefore && planOf(billingType).months > planOf(purchaseBefore.billingType).months
  return {
    charged,
    charges: chargesOf(purchase, charged),
    paidAt: paidAt.toISOString(),
    renewsAt: renewsAt?.toISOString() ?? null,
    purchaseId: purchase.id,
    invoiceId: latestPaid?.invoiceId ?? null,
    isFirst: purchaseBefore === undefined,
    isRenewal: Boolean(orderedAt && paidFrom && paidFrom > orderedAt),
    switched: hasSwitched ? { credit: latestPaid?.credit ?? 0, from: periodOf(purchaseBefore) } : null,
    unlocksItself: change.unlocksItself,
    attached: change.attached,
    newAccount: change.newAccount,
    needsUsername: change.needsUsername,
    newsTo: change.mayGetNews ? purchase.userId : undefined,
    tax: latestPaid?.tax ?? null,
  }
}
