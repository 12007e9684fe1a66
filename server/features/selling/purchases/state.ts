import type { EndReason, PurchaseStatus } from '#contract/statuses.ts'
import type { PaidPeriod, Subscription } from '#server/gateways/stripe.ts'
import { graceDays, graceEnd } from './entitlement.ts'

/** What a purchase takes from Stripe. */
export type PurchaseState = {
  status: PurchaseStatus
  amount: number
  lastPaidAt: Date | null
  currentPeriodEnd: Date
  endsAt: Date | null
  pastDueSince: Date | null
  dunningStep: number
  endedAt: Date | null
  endedBecause: EndReason | null
  refundedAmount: number
  isDisputed: boolean
  disputeDueAt: Date | null
}

const day = 86_400_000
const byTime = (a: Date, b: Date) => a.getTime() - b.getTime()

/** An incomplete subscription was never paid, so it's an attempt, not a purchase. */
export const isUnpaidAttempt = ({ status }: Subscription) =>
  status === 'incomplete' || status === 'incomplete_expired'

/** The period of its own that was paid for last. One that a change within it cost more belongs to it. */
export const paidPeriod = ({ periods }: Subscription): PaidPeriod | undefined =>
  periods.filter(({ isProration }) => !isProration).toSorted((a, b) => byTime(b.start, a.start))[0]

/** The invoice that was paid last, for whatever it was. */
export const lastPaid = ({ periods }: Subscription): PaidPeriod | undefined =>
  periods.filter(({ amount }) => amount > 0).toSorted((a, b) => byTime(b.paidAt, a.paidAt))[0]

/** The buyer got the current period's money back, so access must end. */
export function moneyIsBack(subscription: Subscription): 'refunded' | 'disputed' | undefined {
  const bought = paidPeriod(subscription)
  // For a moment, a payment is there whose invoice isn't paid yet.
  const payments = bought
    ? subscription.payments.filter(({ invoiceId }) => invoiceId === bought.invoiceId)
    : subscription.payments.slice(0, 1)
  if (payments.some(({ dispute }) => dispute === 'lost')) return 'disputed'
  const isBack = payments.length > 0 && payments.every(({ refunded, amount }) => refunded >= amount)
  return isBack ? 'refunded' : undefined
}

/**
 * Stripe tries up to eight times; we remind the buyer three times: at the first failure (1), when the next try falls in
 * the second half of the grace period (2), and when there are no more tries before it ends (3).
 */
function dunningStep(invoice: Subscription['openInvoice']): 1 | 2 | 3 {
  if (!invoice) return 1
  const end = graceEnd(invoice.createdAt).getTime()
  const next = invoice.nextAttemptAt?.getTime() ?? end
  if (next >= end) return 3
  const isSecondHalf = next >= end - (graceDays / 2) * day
  return invoice.attempts > 1 && isSecondHalf ? 2 : 1
}

/** If the last period's invoice is one of these, the subscription ended because its renewal wasn't paid. */
const unpaidInvoices = new Set(['open', 'uncollectible', 'void'])

/** The same answer from Stripe always gives the same state, whatever happened here before. */
export function stateOf(subscription: Subscription): PurchaseState {
  const { status, plan, currentPeriodEnd, endsAt, endedAt, dueInvoice, payments } = subscription
  const owed = subscription.openInvoice ?? dueInvoice
  const common = {
    amount: plan.price,
    lastPaidAt: lastPaid(subscription)?.paidAt ?? payments[0]?.paidAt ?? null,
    currentPeriodEnd,
    refundedAmount: payments.reduce((sum, payment) => sum + payment.refunded, 0),
    isDisputed: payments.some(({ dispute }) => dispute === 'open'),
    disputeDueAt: payments.flatMap(({ disputeDueAt }) => disputeDueAt ?? []).toSorted(byTime)[0] ?? null,
    endsAt: null,
    pastDueSince: null,
    dunningStep: 0,
    endedAt: null,
    endedBecause: null,
  }
  // A trial that ended without a card is paused: no one pays for it, but Stripe keeps it.
  const isPaused = status === 'paused'
  const isUnpaid = isPaused || unpaidInvoices.has(dueInvoice?.status ?? '')
  if (endedAt || status === 'canceled' || isPaused) {
    const endedBecause: EndReason = moneyIsBack(subscription) ?? (isUnpaid ? 'unpaid' : 'cancelled')
    const ended = { ...common, endedAt: endedAt ?? currentPeriodEnd, endedBecause }
    return { ...ended, status: endedBecause === 'unpaid' ? 'expired' : 'cancelled' }
  }
  if (status === 'past_due' || status === 'unpaid')
    return {
      ...common,
      status: 'past_due',
      pastDueSince: owed?.createdAt ?? currentPeriodEnd,
      dunningStep: dunningStep(owed),
      endsAt,
    }
  // A day beyond this period: until then, it renews.
  return { ...common, status: endsAt && endsAt <= currentPeriodEnd ? 'pending_cancel' : 'active', endsAt }
}
