import { isDeepStrictEqual } from 'node:util'
import { eq, isNotNull } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'
import { purchases, users } from '../database/schema.ts'
import { type Ledger, type Line, type Raw, readLedger } from './stripe-ledger.ts'
import { meaningOf, type StateAtStripe } from './subscription-states.ts'

type Shop = { connection: Pick<Connection, 'db'> }

const date = (seconds: number) => new Date(seconds * 1000)
const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)

function groupBy<Item>(items: Item[], keyOf: (item: Item) => string) {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return (key: string) => groups.get(key) ?? []
}

/** Each successful charge, with what became of its money, newest first. */
function readPayments(ledger: Ledger) {
  const refundsOf = groupBy(ledger('refund'), ({ charge }) => charge)
  const disputesOf = groupBy(ledger('dispute'), ({ charge }) => charge)
  const chargesOf = groupBy(ledger('charge'), ({ payment_intent }) => payment_intent)
  const paymentsOf = groupBy(ledger('invoice_payment'), ({ invoice }) => invoice)
  return (invoices: Raw['invoice'][]) =>
    invoices
      .flatMap(({ id }) => paymentsOf(id))
      .flatMap(({ invoice, payment }) => chargesOf(payment.payment_intent).map((charge) => ({ ...charge, invoice })))
      .filter(({ status }) => status === 'succeeded')
      .toSorted((a, b) => b.created - a.created)
      .map(({ id, invoice, created, amount }) => {
        const refunds = refundsOf(id).filter(({ status }) => status !== 'failed' && status !== 'canceled')
        const disputes = disputesOf(id).map(({ status }) => status)
        return {
          invoice,
          created,
          amount,
          refunded: sum(refunds.map((refund) => refund.amount)),
          returnedRefunds: openAfterFailure(refundsOf(id), amount),
          tried: Math.min(amount, sum(refundsOf(id).map((refund) => refund.amount))),
          // An appeal follows a loss; a prevented one was refunded before it became a dispute.
          refundedAt: Math.max(0, ...refundsOf(id).map((refund) => refund.created)),
          disputedAt: Math.min(...disputesOf(id).map((dispute) => dispute.created)),
          isLost: disputes.some((status) => /^(lost|prevented|appeal_.*)$/.test(status)),
          // An inquiry wants an answer, too.
          isDisputed: disputes.some((status) => /^(warning_)?(needs_response|under_review)$/.test(status)),
        }
      })
}

/** Failed refunds, less refunds after them, and at most the remaining amount of the payment. */
function openAfterFailure(refunds: Raw['refund'][], paid: number) {
  let [open, left] = [0, paid]
  for (const { status, amount } of refunds) {
    if (status === 'failed') open += amount
    else if (status !== 'canceled') {
      open = Math.max(0, open - amount)
      left -= amount
    }
  }
  return Math.min(open, left)
}

const isWhole = ({ amount, parent }: Line) => amount > 0 && parent.subscription_item_details?.proration === false

/** Paid periods and paid invoices, newest first. */
function readPaid(invoices: Raw['invoice'][]) {
  const paid = invoices.filter(({ status }) => status === 'paid')
  const startOf = ({ lines }: Raw['invoice']) => lines.data.find(isWhole)?.period.start ?? 0
  const paidAt = ({ status_transitions: { paid_at } }: Raw['invoice']) => paid_at ?? 0
  const whole = paid
    .filter(startOf)
    .toReversed()
    .toSorted((a, b) => startOf(b) - startOf(a))
  const spans = whole.flatMap(({ lines }) => lines.data.find(isWhole)?.period ?? [])
  const isYear = ({ start, end }: Line['period']) => end - start > 300 * 86_400
  const other = spans.findIndex((span) => isYear(span) !== (spans[0] && isYear(spans[0])))
  return {
    period: whole[0],
    span: spans[0],
    /** When the first in the run of periods of one length was paid for. */
    ordered: whole.at(other < 0 ? -1 : other - 1)?.status_transitions.paid_at,
    last: paid.filter(({ amount_paid }) => amount_paid > 0).toSorted((a, b) => paidAt(b) - paidAt(a))[0],
  }
}

const payableSince = ({ created, status_transitions: { finalized_at } }: Raw['invoice']) => finalized_at ?? created

/** Reminded at the first failure, again before a retry in the second of two weeks, and when no retry is left. */
function reminders(invoice: Raw['invoice']) {
  const { status, attempt_count: tries, next_payment_attempt: next } = invoice
  const days = next === null ? Infinity : (next - payableSince(invoice)) / 86_400
  if (days >= 14 || status === 'uncollectible') return 3
  return tries >= 2 && days >= 7 ? 2 : 1
}

/** The words of the table for why Stripe says that it is paused. */
const pauses: Record<string, string> = {
  trial_end_without_payment_method: 'paused after a trial',
  first_payment_failure: 'paused unpaid',
  final_payment_failure: 'paused unpaid',
}

/** The next renewal, by the price list, the coupons that still run then, and what the customer has left. */
function readNext(ledger: Ledger) {
  const coupons = new Map(ledger('coupon').map((coupon) => [coupon.id, coupon]))
  const discounts = new Map(ledger('discount').map((discount) => [discount.id, discount]))
  const customers = new Map(ledger('customer').map((customer) => [customer.id, customer]))
  return ({ customer, discounts: own, items: { data } }: Raw['subscription']) => {
    const { balance = 0, discount: theirs } = customers.get(customer) ?? {}
    const ids = own.length > 0 || !theirs ? own : [theirs.id]
    let amount = sum(data.map(({ price, quantity }) => price.unit_amount * quantity))
    for (const discount of ids.flatMap((id) => discounts.get(id) ?? [])) {
      const coupon = coupons.get(discount.source.coupon)
      if (!coupon || (discount.end ?? Infinity) <= (data[0]?.current_period_end ?? 0)) continue
      amount -= Math.min(amount, coupon.amount_off ?? Math.round((amount * (coupon.percent_off ?? 0)) / 100))
    }
    return Math.max(0, amount + balance)
  }
}

const runs = new Set(['trialing', 'active', 'past_due', 'unpaid'])

/** Past due from the day it was written off. */
const writtenOffAt = (due: Raw['invoice'] | undefined) =>
  due?.status === 'uncollectible' ? due.status_transitions.marked_uncollectible_at : null

/** The oracle: what the shop should have booked, given what Stripe says and what that means. */
function readWanted(ledger: Ledger) {
  const customers = new Map(ledger('customer').map((customer) => [customer.id, customer]))
  const invoicesOf = groupBy(ledger('invoice'), ({ parent }) => parent.subscription_details.subscription)
  const paymentsOf = readPayments(ledger)
  const nextOf = readNext(ledger)
  return ledger('subscription').flatMap((subscription) => {
    const { id, customer, status, cancel_at, cancel_at_period_end, ended_at, items } = subscription
    const [item] = items.data
    const periodEnd = item?.current_period_end ?? 0
    const invoices = invoicesOf(id)
    const payments = paymentsOf(invoices)
    const { period, span, ordered, last } = readPaid(invoices)
    const ofPeriod = period ? payments.filter((each) => each.invoice === period.id) : payments.slice(0, 1)
    // A bank may send a refund back later: the reason why it ended stays.
    const isRefunded = ({ refunded, tried, amount }: (typeof payments)[number]) =>
      (ended_at ? Math.max(refunded, tried) : refunded) >= amount
    const isBack = ofPeriod.length > 0 && ofPeriod.every(isRefunded)
    const kept = ofPeriod.length === 0 ? 'none' : isBack ? 'returned' : 'kept'
    const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
    // The seller voided it while the subscription ran.
    const isForgiven = due?.status === 'void' && (due.status_transitions.voided_at ?? Infinity) < (ended_at ?? Infinity)
    const isFree = subscription.pause_collection !== null || isForgiven
    // Unused time of the previous month also paid for a switch.
    const isSwitch = period?.lines.data.some(({ amount }) => amount < 0)
    const credited = isSwitch
      ? payments.find(
          ({ invoice: of, created }) => of !== period?.id && created <= (period?.status_transitions.paid_at ?? 0),
        )
      : undefined
    const isPayable = (each?: Raw['invoice']) => each?.status === 'open' || each?.status === 'uncollectible'
    const invoice = isPayable(due) ? due : (invoices.findLast(isPayable) ?? due)
    // Of a refund and a dispute, the earlier one ended it.
    const lost = [...ofPeriod, credited].find((each) => each?.isLost)
    const refundedAt = Math.max(0, ...ofPeriod.map((each) => each.refundedAt))
    const pausedFor = subscription.status_details?.paused.subscription.type ?? ''
    const state: StateAtStripe = {
      status:
        subscription.pause_collection && runs.has(status)
          ? 'not collected'
          : status === 'paused'
            ? (pauses[pausedFor] ?? 'paused')
            : status,
      cancellation: cancel_at_period_end || (cancel_at ?? Infinity) <= periodEnd ? 'scheduled' : 'none',
      // Ended after it was forgiven, it was not unpaid.
      invoice: isForgiven && status === 'canceled' ? 'paid' : (due?.status ?? 'none'),
      payment: lost && !(isBack && ended_at && lost.disputedAt >= refundedAt) ? 'charged back' : kept,
    }
    const { purchase, endedBecause } = meaningOf(state)
    if (purchase === 'none') return []
    const isPastDue = purchase === 'past_due'
    const willEnd = (cancel_at_period_end || cancel_at !== null) && !endedBecause
    return {
      id,
      email: customers.get(customer)?.email ?? '',
      status: purchase,
      billingType: item
        ? planNames[`${item.price.recurring.interval_count} ${item.price.recurring.interval}`]
        : undefined,
      price: item ? item.price.unit_amount * item.quantity : 0,
      nextAmount: (purchase === 'active' || isPastDue) && !subscription.pause_collection ? nextOf(subscription) : null,
      dueAmount: isPastDue && invoice ? invoice.amount_remaining : null,
      lastPaidAmount: last?.amount_paid ?? null,
      orderedAt: date(ordered ?? item?.current_period_start ?? 0),
      paidFrom: date(span?.start ?? item?.current_period_start ?? 0),
      paidUntil: date(span?.end ?? periodEnd),
      givenUntil: isFree ? date(periodEnd) : subscription.trial_end ? date(subscription.trial_end) : null,
      pausedAt: purchase === 'paused' ? date(subscription.status_details?.paused.transitioned_at ?? 0) : null,
      taxIsOff: subscription.automatic_tax.disabled_reason !== null,
      draftSince: !ended_at && due?.status === 'draft' ? date(due.created) : null,
      lastPaidAt: last ? date(last.status_transitions.paid_at ?? 0) : null,
      currentPeriodEnd: date(periodEnd),
      endsAt: willEnd ? date(cancel_at ?? periodEnd) : null,
      pastDueSince: isPastDue && invoice ? date(writtenOffAt(due) ?? payableSince(invoice)) : null,
      dunningStep: isPastDue && invoice ? reminders(invoice) : 0,
      endedAt: endedBecause ? date(ended_at ?? subscription.status_details?.paused.transitioned_at ?? periodEnd) : null,
      endedBecause,
      refundedAmount: sum(payments.map(({ refunded }) => refunded)),
      failedRefunds: sum(payments.map(({ returnedRefunds }) => returnedRefunds)),
      isDisputed: payments.some(({ isDisputed }) => isDisputed),
    }
  })
}

const planNames: Record<string, string> = { '1 month': 'monthly', '3 month': 'quarterly', '1 year': 'yearly' }

/** The shop's books, and the books that Stripe's data demands. The two must be equal. */
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
    wanted: readWanted(await readLedger(connection)).toSorted(byId),
  }
}

/** Purchases that differ from Stripe: wrong, missing, extra or duplicated. */
export function countDifferent({ booked, wanted }: Awaited<ReturnType<typeof compareBooks>>) {
  const byId = <Row extends { id: string }>(rows: Row[]) => new Map(rows.map((row) => [row.id, row]))
  const [inBooks, atStripe] = [byId(booked), byId(wanted)]
  const ids = [...new Set([...inBooks.keys(), ...atStripe.keys()])]
  const different = ids.filter((id) => !isDeepStrictEqual(inBooks.get(id), atStripe.get(id))).length
  return different + booked.length - inBooks.size
}
