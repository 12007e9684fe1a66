import { exactDollars } from '#contract/money.ts'
import type { Payment, Subscription } from '#server/gateways/stripe.ts'
import type { AmountDue } from '../refunds/refunds.ts'

/** Due but not refunded: paid too late or outside Stripe, under dispute, lost in a dispute, or returned by the buyer's bank. */
export type Unrefunded = { late: number; elsewhere: number; disputed: number; lost: number; returned: number }

export const nothingUnrefunded: Unrefunded = { late: 0, elsewhere: 0, disputed: 0, lost: 0, returned: 0 }

export function unrefundedOf(subscription: Subscription, amountDue: AmountDue): Unrefunded {
  const unrefunded = { ...nothingUnrefunded }
  for (const payment of subscription.payments) {
    const remaining = Math.max(0, amountDue(payment, subscription) - payment.refunded)
    unrefunded[unrefundedReasonOf(payment)] += remaining
  }
  for (const { id, paidAt, paidOutOfBand: amount } of subscription.invoices)
    if (paidAt && amount > 0)
      unrefunded.elsewhere += amountDue({ paymentIntentId: id, invoiceId: id, paidAt, amount }, subscription)
  return unrefunded
}

function unrefundedReasonOf({ dispute, refunds: paymentRefunds }: Payment): keyof Unrefunded {
  if (dispute === 'open') return 'disputed'
  if (dispute === 'lost') return 'lost'
  const wasReturned = paymentRefunds.some(({ status }) => status === 'failed')
  return wasReturned ? 'returned' : 'late'
}

/** Sentences without a full stop. Leaves out late payments, whose sentence needs a day. */
export function unrefundedInWords({ disputed, lost, returned, elsewhere }: Unrefunded): string[] {
  return [
    disputed > 0 && `The buyer’s bank decides about ${exactDollars(disputed)}`,
    lost > 0 && `The buyer’s bank returned ${exactDollars(lost)} in a dispute`,
    returned > 0 && `Our refund of ${exactDollars(returned)} failed`,
    elsewhere > 0 && `Paid elsewhere and not refunded: ${exactDollars(elsewhere)}`,
  ].filter((sentence) => sentence !== false)
}
