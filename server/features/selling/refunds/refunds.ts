import type { ParsedInputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { type purchasesAdmin, refundReasons } from '#contract/selling/purchases-admin.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { conflict } from '#server/errors.ts'
import { type PaidHistory, readPaidHistory, reversalOf } from '../invoices/invoices.ts'
import { findPurchase } from '../purchases/purchases.ts'
import { creditedOf, refundableAmount } from './refundable.ts'
import { createSettlements, type Settlements } from './settlements.ts'

export { fullAmountIf, refundAll } from './refund-all.ts'
export { createRefundJobs, type RefundJobs } from './refund-jobs.ts'
export {
  type AmountDue,
  duePaidUntil,
  failedRefundsOf,
  fullLatestPayment,
  isRefundable,
  remainingRefunds,
  unrefundablePart,
  unusedShare,
  unusedSince,
  withdrawableSince,
} from './refundable.ts'

type RefundDeps = Pick<Context, 'db' | 'stripe' | 'audit' | 'runExclusive'> & {
  sync(subscriptionId: string): Promise<void>
}
type RefundInput = Omit<ParsedInputOf<typeof purchasesAdmin.refund>, 'id'>
type RefundablePayment = {
  paymentIntentId: string
  paidAt: Date
  amount: number
  refundable: number
  credited: number
  endsSubscription: boolean
}

export type Refunds = Settlements & {
  /** Reads the books, not Stripe. Newest first. */
  refundable(id: string): Promise<{ payments: RefundablePayment[]; accessUntil: Date | null; refundedSoFar: number }>
  /** Refunds the latest payment by default. The optimistic lock `refundedSoFar` refuses a second click. */
  refund(actor: Actor, id: string, input: RefundInput): Promise<void>
}

const bankDecidesSentence =
  'The buyer disputes this payment, so their bank decides about it. It can only be refunded if the dispute ends in your favor.'

export function createRefunds({ db, stripe, audit, runExclusive, sync }: RefundDeps): Refunds {
  /** Throws 409 if the purchase was paid into a former Stripe account, where this shop can't refund. */
  async function findInPresentAccount(id: string) {
    const purchase = await findPurchase(db, id)
    if (purchase.formerAccount)
      throw conflict(
        'former-account',
        `This was paid into the shop’s former Stripe account (${purchase.formerAccount}). Refund it there.`,
      )
    return purchase
  }

  return {
    ...createSettlements({ db, stripe, audit, runExclusive, sync }),

    async refundable(id) {
      const purchase = await findInPresentAccount(id)
      const history = await readPaidHistory(db, purchase)
      return {
        payments: history.payments.map((payment) => ({
          paymentIntentId: payment.paymentIntentId,
          paidAt: payment.paidAt,
          amount: payment.amount,
          refundable: payment.isRefundBlocked ? 0 : refundableAmount(history, payment),
          credited: creditedOf(history, payment),
          endsSubscription: wouldEndSubscription(history, payment.paymentIntentId),
        })),
        accessUntil: purchase.endedAt ? null : purchase.currentPeriodEnd,
        refundedSoFar: sumOf(history.payments, ({ refunded }) => refunded),
      }
    },

    async refund(actor, id, input) {
      const { reason, refundedSoFar, keepAccess = false } = input
      const { stripeSubscriptionId, userId } = await findInPresentAccount(id)
      if (!stripeSubscriptionId)
        throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')

      await runExclusive(stripeSubscriptionId, async () => {
        const { payments } = await stripe.subscriptions.read(stripeSubscriptionId)
        const [latestPayment] = payments
        const intent = input.paymentIntentId ?? latestPayment?.paymentIntentId
        const isOfPurchase = payments.some(({ paymentIntentId }) => paymentIntentId === intent)
        if (!intent || !isOfPurchase) throw conflict('nothing-to-refund', 'There’s no payment to refund')

        let amount = 0
        /** Throws 409 if the subscription, read again right before the refund, isn't what the seller saw. */
        const decideAmount = async () => {
          const subscription = await stripe.subscriptions.read(stripeSubscriptionId)
          const payment = subscription.payments.find(({ paymentIntentId }) => paymentIntentId === intent)
          if (payment?.isRefundBlocked) throw conflict('refund-refused', bankDecidesSentence)
          const refundable = payment ? refundableAmount(subscription, payment) : 0
          const isCredited = payment && refundable === 0 && payment.refunded < payment.amount
          if (isCredited)
            throw conflict('nothing-to-refund', 'This payment was credited to the year. Refund the year first.')
          if (refundable === 0) throw conflict('nothing-to-refund', 'This payment has already been refunded')
          const refundedAtStripe = sumOf(subscription.payments, ({ refunded }) => refunded)
          if (refundedAtStripe !== refundedSoFar) {
            // Syncs, so that the dialog shows the new amount when it is opened again.
            await sync(stripeSubscriptionId)
            throw conflict(
              'changed-meanwhile',
              `${exactDollars(refundedAtStripe)} of this purchase has been refunded by now. Please look again.`,
            )
          }
          if (input.amount !== undefined && input.amount > refundable)
            throw conflict('too-much-to-refund', `Only ${exactDollars(refundable)} of this payment can be refunded`)
          amount = input.amount ?? refundable
          return amount
        }
        // Stripe has no refund reason for goodwill.
        const stripeReason = reason === 'goodwill' ? undefined : reason
        await stripe.payments.refund(intent, decideAmount, { keepsAccess: keepAccess, reason: stripeReason })

        const detail = { amount, because: reason && refundReasons[reason], keepAccess: keepAccess || undefined }
        await audit.record(db, actor, { action: 'purchase.refund', subject: id, aboutId: userId, detail })
        await sync(stripeSubscriptionId)
      })
    },
  }
}

function wouldEndSubscription(history: PaidHistory, intent: string) {
  const payments = history.payments.map((payment) =>
    payment.paymentIntentId === intent ? { ...payment, refunded: payment.amount } : payment,
  )
  return !history.endedAt && reversalOf({ ...history, payments }) === 'refunded'
}

const sumOf = <Item>(items: Item[], amountOf: (item: Item) => number) =>
  items.reduce((total, item) => total + amountOf(item), 0)
