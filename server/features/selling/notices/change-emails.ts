import { eq } from 'drizzle-orm'
import { type BillingType, planOf } from '#contract/plans.ts'
import { withdrawalDay, withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import type { EndReason, refusedPurchaseReasons } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import type { PaidPeriod } from '#server/gateways/stripe.ts'
import { chargesOf, graceEnd, type PurchaseRow, periodOf } from '../purchases/purchases.ts'

export type NewAccount = {
  tokenId: string
  username: string | null
  /** Set if a stranger had signed up with the address without confirming it. */
  handedOver?: { paymentIntentId: string | null }
}

export type PurchaseChange = {
  /** Undefined for a new purchase. */
  before: PurchaseRow | undefined
  after: PurchaseRow
  /** Recipient; the buyer's account by default. */
  to?: { email: string; name: string }
  /** Discount code that the payment was refused for. */
  code?: string
  /** Set if a guest bought for an existing account: the username they typed, and their payment. */
  attached?: { username: string | null; paymentIntentId: string | null }
  /** Set if a guest's payment made the account. The receipt then also has the link to set a password. */
  newAccount?: NewAccount
  latestPaid?: PaidPeriod | null
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
    const { before, after, attached, newAccount } = change
    const { lastPaidAt } = after
    const hasNewPayment = lastPaidAt !== null && lastPaidAt > (before?.lastPaidAt ?? longAgo)
    if (hasNewPayment) await mails.send(tx, to, 'receipt', { ...texts.subscription, ...receiptOf(change, lastPaidAt) })
    else if (attached) await mails.send(tx, to, 'purchaseAttached', { ...texts.subscription, ...attached })
    else if (newAccount?.handedOver)
      await mails.send(tx, to, 'accountHandedOver', { tokenId: newAccount.tokenId, ...newAccount.handedOver })
    else if (newAccount) await mails.send(tx, to, 'setPassword', { name: '', tokenId: newAccount.tokenId })
  }

  async function sendPaymentFailed(tx: Transaction, change: PurchaseChange, to: string, texts: ChangeTexts) {
    const { before, after } = change
    if (after.status !== 'past_due' || after.dunningStep <= (before?.dunningStep ?? 0)) return
    await mails.send(tx, to, 'paymentFailed', {
      ...texts.subscription,
      charged: after.dueAmount ?? after.price,
      awaitsBank: after.awaitsBank,
      refusal: after.cardRefusal,
      step: Math.min(after.dunningStep, 3) as 1 | 2 | 3,
      endsAt: after.pastDueSince ? graceEnd(after.pastDueSince).toISOString() : null,
    })
  }

  async function sendStatusChange(tx: Transaction, change: PurchaseChange, to: string, texts: ChangeTexts) {
    const { before, after } = change
    const { status, endsAt, currentPeriodEnd } = after
    const statusBefore = before?.status
    const { nameAndProduct, subscription, shorterPlan } = texts

    const isCancelled = status === 'pending_cancel' && statusBefore !== 'pending_cancel'
    if (isCancelled && endsAt && (await mayEmailStatus(tx, after)))
      await mails.send(tx, to, 'subscriptionWillEnd', {
        ...nameAndProduct,
        period: periodOf(after),
        endsAt: endsAt.toISOString(),
        refund: after.restRefund ?? 0,
        shorter: shorterPlan,
        withdrawBy: withdrawalEnds(after.createdAt) > now() ? withdrawalDay(after.createdAt).toISOString() : null,
      })

    if (status === 'paused' && statusBefore !== 'paused') await mails.send(tx, to, 'subscriptionPaused', nameAndProduct)

    const couldResume = statusBefore === 'pending_cancel' || statusBefore === 'paused'
    const isResumed = couldResume && status === 'active' && !endsAt
    if (isResumed && currentPeriodEnd && (await mayEmailStatus(tx, after)))
      await mails.send(tx, to, 'subscriptionResumed', {
        ...subscription,
        renewsAt: currentPeriodEnd.toISOString(),
        wasPaused: statusBefore === 'paused',
      })
  }

  async function sendRefundAndEnd(tx: Transaction, change: AcceptedChange, to: string, texts: ChangeTexts) {
    const { before, after, endedBecause } = change
    const { nameAndProduct, slug, isOnSale, shorterPlan } = texts
    const hasJustEnded = endedBecause !== null && !before?.endedBecause
    const newlyRefunded = after.refundedAmount - (before?.refundedAmount ?? 0)

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
    if (after.status === 'expired' && !endedBecause && before?.status === 'active')
      await mails.send(tx, to, 'subscriptionEnded', { ...nameAndProduct, because: 'over' })
  }

  return { sendReceiptOrAccount, sendPaymentFailed, sendStatusChange, sendRefundAndEnd }
}

function receiptOf(
  { before, after, latestPaid, attached, newAccount, unlocksItself, needsUsername, mayGetNews }: PurchaseChange,
  paidAt: Date,
) {
  const { status, billingType, currentPeriodEnd, price } = after
  const charged = after.lastPaidAmount ?? price
  const hasSwitched = before && planOf(billingType).months > planOf(before.billingType).months
  return {
    charged,
    charges: chargesOf(after, charged),
    paidAt: paidAt.toISOString(),
    renewsAt: status === 'active' ? (currentPeriodEnd?.toISOString() ?? null) : null,
    purchaseId: after.id,
    invoiceId: latestPaid?.invoiceId ?? null,
    isFirst: before === undefined,
    switched: hasSwitched ? { credit: latestPaid?.credit ?? 0, from: periodOf(before) } : null,
    ...(unlocksItself === undefined ? {} : { unlocksItself }),
    ...(attached ? { attached } : {}),
    ...(newAccount ? { newAccount } : {}),
    ...(needsUsername ? { needsUsername } : {}),
    ...(mayGetNews ? { newsTo: after.userId } : {}),
    tax: latestPaid?.tax ?? null,
  }
}
