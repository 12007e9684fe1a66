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

export { type AmountDue, refundAll, wholePayment } from './refund-all.ts'
export { createRefundJobs, type RefundJobs, restOfPeriod } from './refund-jobs.ts'
export { isRefundable, returnedRefunds, unusedShare, unusedSince, withdrawable } from './refundable.ts'

type RefundDeps = Pick<Context, 'db' | 'stripe' | 'audit' | 'runExclusive'> & {
  sync(subscriptionId: string): Promise<void>
}
type RefundInput = Omit<ParsedInputOf<typeof purchasesAdmin.adminRefund>, 'id'>
type RefundablePayment = {
  paymentIntentId: string
  paidAt: Date
  amount: number
  refundable: number
  credited: number
  endsSubscription: boolean
}

/** Refunds by the seller, and decisions about disputes and failed refunds. */
export type Refunds = Settlements & {
  /** From the books, newest payment first. */
  refundable(id: string): Promise<{ payments: RefundablePayment[]; accessUntil: Date | null; refundedSoFar: number }>
  /** Refunds the latest payment by default. `refundedSoFar` is an optimistic lock: a second click refunds nothing. */
  refund(actor: Actor, id: string, input: RefundInput): Promise<void>
}

const bankDecides =
  'The buyer disputes this payment, so their bank decides about it. It can only be refunded if the dispute ends in your favor.'

export function createRefunds({ db, stripe, audit, runExclusive, sync }: RefundDeps): Refunds {
  async function findInAccount(id: string) {
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
      const purchase = await findInAccount(id)
      const history = await readPaidHistory(db, purchase)
      return {
        payments: history.payments.map((payment) => ({
          paymentIntentId: payment.paymentIntentId,
          paidAt: payment.paidAt,
          amount: payment.amount,
          refundable: payment.isRefundBlocked ? 0 : refundableAmount(history, payment),
          credited: creditedOf(history, payment),
          endsSubscription: wouldEnd(history, payment.paymentIntentId),
        })),
        accessUntil: purchase.endedAt ? null : purchase.currentPeriodEnd,
        refundedSoFar: sum(history.payments, ({ refunded }) => refunded),
      }
    },

    async refund(actor, id, { amount: wanted, refundedSoFar, ...how }) {
      const { stripeSubscriptionId, userId } = await findInAccount(id)
      if (!stripeSubscriptionId)
        throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')
      const { reason, keepAccess = false } = how
      await runExclusive(stripeSubscriptionId, async () => {
        const { payments: paid } = await stripe.subscriptions.read(stripeSubscriptionId)
        const intent = how.paymentIntentId ?? paid[0]?.paymentIntentId
        if (!intent || paid.every(({ paymentIntentId }) => paymentIntentId !== intent))
          throw conflict('nothing-to-refund', 'There’s no payment to refund')
        let amount = 0
        const decide = async () => {
          const answer = await stripe.subscriptions.read(stripeSubscriptionId)
          const { payments } = answer
          const payment = payments.find(({ paymentIntentId }) => paymentIntentId === intent)
          if (payment?.isRefundBlocked) throw conflict('refund-refused', bankDecides)
          const refundable = payment ? refundableAmount(answer, payment) : 0
          if (payment && refundable === 0 && payment.refunded < payment.amount)
            throw conflict('nothing-to-refund', 'This payment was credited to the year. Refund the year first.')
          if (refundable === 0) throw conflict('nothing-to-refund', 'This payment has already been refunded')
          const now = sum(payments, ({ refunded }) => refunded)
          if (now !== refundedSoFar) {
            // Syncs, so that the dialog shows the new amount when it is opened again.
            await sync(stripeSubscriptionId)
            throw conflict(
              'changed-meanwhile',
              `${exactDollars(now)} of this purchase has been refunded by now. Please look again.`,
            )
          }
          if (wanted !== undefined && wanted > refundable)
            throw conflict('too-much-to-refund', `Only ${exactDollars(refundable)} of this payment can be refunded`)
          amount = wanted ?? refundable
          return amount
        }
        await stripe.payments.refund(intent, decide, {
          keepsAccess: keepAccess,
          reason: reason === 'goodwill' ? undefined : reason,
        })
        const detail = { amount, ...(reason && { because: refundReasons[reason] }), ...(keepAccess && { keepAccess }) }
        await audit.record(db, actor, { action: 'purchase.refund', subject: id, aboutId: userId, detail })
        await sync(stripeSubscriptionId)
      })
    },
  }
}

/** True if a full refund of the payment would end the subscription. */
function wouldEnd(history: PaidHistory, intent: string) {
  const payments = history.payments.map((payment) =>
    payment.paymentIntentId === intent ? { ...payment, refunded: payment.amount } : payment,
  )
  return !history.endedAt && reversalOf({ ...history, payments }) === 'refunded'
}

const sum = <Item>(items: Item[], of: (item: Item) => number) => items.reduce((total, item) => total + of(item), 0)
