import { eq, isNotNull } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'
import { purchases, users } from '../database/schema.ts'
import {
  isNeverTried,
  isPayable,
  type Ledger,
  type Line,
  readLedger,
  type StripeObjects,
  wasForgiven,
} from './stripe-ledger.ts'
import { meaningOf, type StateAtStripe } from './subscription-states.ts'

type Shop = { connection: Pick<Connection, 'db'> }

const date = (seconds: number) => new Date(seconds * 1000)
const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)

/** Returns a function that finds the items of a key. */
function groupBy<Item>(items: Item[], keyOf: (item: Item) => string) {
  const groups = Map.groupBy(items, keyOf)
  return (key: string) => groups.get(key) ?? []
}

/** Returns a function that reads the payments of a subscription's invoices, newest first. */
function paymentReader(ledger: Ledger) {
  const refundsOf = groupBy(ledger('refund'), ({ charge }) => charge)
  const disputesOf = groupBy(ledger('dispute'), ({ charge }) => charge)
  const chargesOf = groupBy(ledger('charge'), ({ payment_intent }) => payment_intent)
  const invoicePaymentsOf = groupBy(ledger('invoice_payment'), ({ invoice }) => invoice)

  function readPayment(invoice: string, { id, created, amount }: StripeObjects['charge']) {
    const refunds = refundsOf(id)
    const keptRefunds = refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled')
    const disputes = disputesOf(id)
    return {
      invoice,
      created,
      amount,
      refunded: sum(keptRefunds.map((refund) => refund.amount)),
      returnedRefunds: openAfterFailure(refunds, amount),
      triedRefunds: Math.min(amount, sum(refunds.map((refund) => refund.amount))),
      refundedAt: Math.max(0, ...refunds.map((refund) => refund.created)),
      disputedAt: Math.min(...disputes.map((dispute) => dispute.created)),
      // An appeal follows a loss. A prevented dispute was refunded before it opened.
      isLost: disputes.some(({ status }) => /^(lost|prevented|appeal_.*)$/.test(status)),
      // An inquiry (`warning_`) also counts as an open dispute.
      isDisputed: disputes.some(({ status }) => /^(warning_)?(needs_response|under_review)$/.test(status)),
    }
  }

  return function readPayments(invoices: StripeObjects['invoice'][]) {
    const payments: ReturnType<typeof readPayment>[] = []
    for (const { id } of invoices)
      for (const { payment } of invoicePaymentsOf(id))
        for (const charge of chargesOf(payment.payment_intent))
          if (charge.status === 'succeeded') payments.push(readPayment(id, charge))
    return payments.toSorted((a, b) => b.created - a.created)
  }
}

type Payment = ReturnType<ReturnType<typeof paymentReader>>[number]

/** Failed refunds less later refunds, and at most the rest of the payment. */
function openAfterFailure(refunds: StripeObjects['refund'][], paid: number) {
  let failedAmount = 0
  let remainingAmount = paid
  for (const { status, amount } of refunds) {
    if (status === 'failed') failedAmount += amount
    else if (status !== 'canceled') {
      failedAmount = Math.max(0, failedAmount - amount)
      remainingAmount -= amount
    }
  }
  return Math.min(failedAmount, remainingAmount)
}

const isFullPeriod = ({ amount, parent }: Line) => amount > 0 && parent.subscription_item_details?.proration === false

const periodOf = ({ lines }: StripeObjects['invoice']) => lines.data.find(isFullPeriod)?.period

function readPaidInvoices(invoices: StripeObjects['invoice'][]) {
  const paid = invoices.filter(({ status }) => status === 'paid')
  const startOf = (invoice: StripeObjects['invoice']) => periodOf(invoice)?.start ?? 0
  const paidAt = ({ status_transitions: { paid_at } }: StripeObjects['invoice']) => paid_at ?? 0
  // Of two periods that start in the same second, the later invoice comes first.
  const periodInvoices = paid
    .filter((invoice) => periodOf(invoice) !== undefined)
    .toReversed()
    .toSorted((a, b) => startOf(b) - startOf(a))
  const [latest] = periodInvoices
  const span = latest && periodOf(latest)
  const isYear = (period: Line['period'] | undefined) =>
    period !== undefined && period.end - period.start > 300 * 86_400
  const beforeRun = periodInvoices.findIndex((invoice) => isYear(periodOf(invoice)) !== isYear(span))
  const firstOfRun = beforeRun < 0 ? periodInvoices.at(-1) : periodInvoices[beforeRun - 1]
  return {
    period: latest,
    span,
    /** Time when the latest unbroken run of periods of one length was ordered. */
    orderedAt: firstOfRun?.status_transitions.paid_at,
    lastPaid: paid.filter(({ amount_paid }) => amount_paid > 0).toSorted((a, b) => paidAt(b) - paidAt(a))[0],
  }
}

const payableSince = ({ created, status_transitions: { finalized_at } }: StripeObjects['invoice']) =>
  finalized_at ?? created

/** Number of dunning emails due: at the first failure, before a retry in the second week, and after the last retry. */
function countReminders(invoice: StripeObjects['invoice']) {
  const { status, attempt_count: tries, next_payment_attempt: next } = invoice
  const days = next === null ? Infinity : (next - payableSince(invoice)) / 86_400
  if (days >= 14 || status === 'uncollectible') return 3
  return tries >= 2 && days >= 7 ? 2 : 1
}

const statusByPauseReason: Record<string, string> = {
  trial_end_without_payment_method: 'paused after a trial',
  first_payment_failure: 'paused unpaid',
  final_payment_failure: 'paused unpaid',
}

/** Returns a function that computes the amount of a subscription's next renewal. */
function nextAmountReader(ledger: Ledger) {
  const coupons = new Map(ledger('coupon').map((coupon) => [coupon.id, coupon]))
  const discounts = new Map(ledger('discount').map((discount) => [discount.id, discount]))
  const customers = new Map(ledger('customer').map((customer) => [customer.id, customer]))
  return ({ customer, discounts: ownDiscounts, items: { data } }: StripeObjects['subscription']) => {
    const { balance = 0, discount: customerDiscount } = customers.get(customer) ?? {}
    // Stripe applies the customer's discount only if the subscription has none.
    const discountIds = ownDiscounts.length > 0 || !customerDiscount ? ownDiscounts : [customerDiscount.id]
    const renewsAt = data[0]?.current_period_end ?? 0
    let amount = sum(data.map(({ price, quantity }) => price.unit_amount * quantity))
    for (const id of discountIds) {
      const discount = discounts.get(id)
      const coupon = coupons.get(discount?.source.coupon ?? '')
      const hasEnded = (discount?.end ?? Infinity) <= renewsAt
      if (!coupon || hasEnded) continue
      const percentOff = coupon.percent_off ?? 0
      amount -= Math.min(amount, coupon.amount_off ?? Math.round((amount * percentOff) / 100))
    }
    // A negative balance is a credit.
    return Math.max(0, amount + balance)
  }
}

const runningStatuses = new Set(['trialing', 'active', 'past_due', 'unpaid'])

function statusOf({ status, status_details, pause_collection }: StripeObjects['subscription']) {
  if (pause_collection && runningStatuses.has(status)) return 'not collected'
  if (status !== 'paused') return status
  return statusByPauseReason[status_details?.paused.subscription.type ?? ''] ?? 'paused'
}

function freeUntil(subscription: StripeObjects['subscription'], isFree: boolean, periodEnd: number) {
  if (isFree) return date(periodEnd)
  return subscription.trial_end ? date(subscription.trial_end) : null
}

const writtenOffAt = (due: StripeObjects['invoice'] | undefined) =>
  due?.status === 'uncollectible' ? due.status_transitions.marked_uncollectible_at : null

/** `creditedPayment` paid for time that a plan switch has credited to the period. */
function paymentStateOf(periodPayments: Payment[], creditedPayment: Payment | undefined, endedAt: number | null) {
  const isRefunded = ({ refunded, triedRefunds, amount }: Payment) => {
    // A refund may fail after it has ended the purchase; the reason for the end stays.
    const countedRefunds = endedAt === null ? refunded : Math.max(refunded, triedRefunds)
    return countedRefunds >= amount
  }
  const isFullyRefunded = periodPayments.length > 0 && periodPayments.every(isRefunded)
  const lost = [...periodPayments, creditedPayment].find((payment) => payment?.isLost)
  if (lost) {
    // If there is a full refund and a lost dispute, the earlier one is the reason for the end.
    const refundedAt = Math.max(0, ...periodPayments.map((payment) => payment.refundedAt))
    const endedByRefund = isFullyRefunded && endedAt !== null && lost.disputedAt >= refundedAt
    if (!endedByRefund) return 'charged back'
  }
  if (periodPayments.length === 0) return 'none'
  return isFullyRefunded ? 'returned' : 'kept'
}

/** Derived from Stripe's objects without the shop's code. */
function derivePurchases(ledger: Ledger) {
  const customers = new Map(ledger('customer').map((customer) => [customer.id, customer]))
  const invoicesOf = groupBy(ledger('invoice'), ({ parent }) => parent.subscription_details.subscription)
  const readPayments = paymentReader(ledger)
  const nextAmountOf = nextAmountReader(ledger)
  return ledger('subscription').flatMap((subscription) => {
    const { id, customer, status, cancel_at, cancel_at_period_end, ended_at, items } = subscription
    const [item] = items.data
    const periodEnd = item?.current_period_end ?? 0
    const invoices = invoicesOf(id)
    const payments = readPayments(invoices)
    const { period, span, orderedAt, lastPaid } = readPaidInvoices(invoices)
    const periodPayments = period ? payments.filter((each) => each.invoice === period.id) : payments.slice(0, 1)

    const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
    const isForgiven = wasForgiven(due, ended_at)
    const isFree = subscription.pause_collection !== null || isForgiven

    // Unused time of the previous month also paid for a switch.
    const isSwitch = period?.lines.data.some(({ amount }) => amount < 0)
    const switchedAt = period?.status_transitions.paid_at ?? 0
    const previousPayment = payments.find((each) => each.invoice !== period?.id && each.created <= switchedAt)
    const creditedPayment = isSwitch ? previousPayment : undefined
    const invoice = isPayable(due) ? due : (invoices.findLast(isPayable) ?? due)
    const invoiceWord = isNeverTried(due) ? 'never tried' : (due?.status ?? 'none')
    const state: StateAtStripe = {
      status: statusOf(subscription),
      cancellation: cancel_at_period_end || (cancel_at ?? Infinity) <= periodEnd ? 'scheduled' : 'none',
      // A forgiven renewal does not make the end count as unpaid.
      invoice: isForgiven && status === 'canceled' ? 'paid' : invoiceWord,
      payment: paymentStateOf(periodPayments, creditedPayment, ended_at),
    }

    const { purchase, endedBecause } = meaningOf(state)
    if (purchase === 'none') return []
    const isPastDue = purchase === 'past_due'
    const willEnd = (cancel_at_period_end || cancel_at !== null) && !endedBecause
    const isRenewing = (purchase === 'active' || isPastDue) && !subscription.pause_collection
    return {
      id,
      email: customers.get(customer)?.email ?? '',
      status: purchase,
      billingType: item && planOf(item.price.recurring),
      price: item ? item.price.unit_amount * item.quantity : 0,
      nextAmount: isRenewing ? nextAmountOf(subscription) : null,
      dueAmount: isPastDue && invoice ? invoice.amount_remaining : null,
      lastPaidAmount: lastPaid?.amount_paid ?? null,
      orderedAt: date(orderedAt ?? item?.current_period_start ?? 0),
      paidFrom: date(span?.start ?? item?.current_period_start ?? 0),
      paidUntil: date(span?.end ?? periodEnd),
      givenUntil: freeUntil(subscription, isFree, periodEnd),
      pausedAt: purchase === 'paused' ? date(subscription.status_details?.paused.transitioned_at ?? 0) : null,
      taxIsOff: subscription.automatic_tax.disabled_reason !== null,
      draftSince: !ended_at && due?.status === 'draft' ? date(due.created) : null,
      lastPaidAt: lastPaid ? date(lastPaid.status_transitions.paid_at ?? 0) : null,
      currentPeriodEnd: date(periodEnd),
      endsAt: willEnd ? date(cancel_at ?? periodEnd) : null,
      pastDueSince: isPastDue && invoice ? date(writtenOffAt(due) ?? payableSince(invoice)) : null,
      dunningStep: isPastDue && invoice ? countReminders(invoice) : 0,
      endedAt: endedBecause ? date(ended_at ?? subscription.status_details?.paused.transitioned_at ?? periodEnd) : null,
      endedBecause,
      refundedAmount: sum(payments.map(({ refunded }) => refunded)),
      failedRefunds: sum(payments.map(({ returnedRefunds }) => returnedRefunds)),
      isDisputed: payments.some(({ isDisputed }) => isDisputed),
    }
  })
}

const planNames: Record<string, string> = { '1 month': 'monthly', '3 month': 'quarterly', '1 year': 'yearly' }
const planOf = (interval: { interval: string; interval_count: number }) =>
  planNames[`${interval.interval_count} ${interval.interval}`]

/** Both lists must be equal. */
export async function compareBooks({ connection }: Shop) {
  const booked = await connection.db
    .select({ email: users.email, purchase: purchases })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(isNotNull(purchases.stripeSubscriptionId))
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
  return {
    booked: booked
      .map(({ email, purchase }) => ({
        id: purchase.stripeSubscriptionId ?? '',
        email,
        status: purchase.status,
        billingType: purchase.billingType,
        price: purchase.price,
        nextAmount: purchase.nextAmount,
        dueAmount: purchase.dueAmount,
        lastPaidAmount: purchase.lastPaidAmount,
        orderedAt: purchase.orderedAt,
        paidFrom: purchase.paidFrom,
        paidUntil: purchase.paidUntil,
        givenUntil: purchase.givenUntil,
        pausedAt: purchase.pausedAt,
        taxIsOff: purchase.taxIsOff,
        draftSince: purchase.draftSince,
        lastPaidAt: purchase.lastPaidAt,
        currentPeriodEnd: purchase.currentPeriodEnd,
        endsAt: purchase.endsAt,
        pastDueSince: purchase.pastDueSince,
        dunningStep: purchase.dunningStep,
        endedAt: purchase.endedAt,
        endedBecause: purchase.endedBecause,
        refundedAmount: purchase.refundedAmount,
        failedRefunds: purchase.failedRefunds,
        isDisputed: purchase.isDisputed,
      }))
      .toSorted(byId),
    wanted: derivePurchases(await readLedger(connection)).toSorted(byId),
  }
}
