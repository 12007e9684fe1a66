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
          triedRefunds: Math.min(amount, sum(refundsOf(id).map((refund) => refund.amount))),
          refundedAt: Math.max(0, ...refundsOf(id).map((refund) => refund.created)),
          disputedAt: Math.min(...disputesOf(id).map((dispute) => dispute.created)),
          // An appeal follows a loss. A prevented dispute was refunded before it opened.
          isLost: disputes.some((status) => /^(lost|prevented|appeal_.*)$/.test(status)),
          // An inquiry (`warning_`) also counts as an open dispute.
          isDisputed: disputes.some((status) => /^(warning_)?(needs_response|under_review)$/.test(status)),
        }
      })
}

/** Failed refunds less later refunds, and at most the rest of the payment. */
function openAfterFailure(refunds: Raw['refund'][], paid: number) {
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

function readPaid(invoices: Raw['invoice'][]) {
  const paid = invoices.filter(({ status }) => status === 'paid')
  const startOf = ({ lines }: Raw['invoice']) => lines.data.find(isFullPeriod)?.period.start ?? 0
  const paidAt = ({ status_transitions: { paid_at } }: Raw['invoice']) => paid_at ?? 0
  const periodInvoices = paid
    .filter(startOf)
    .toReversed()
    .toSorted((a, b) => startOf(b) - startOf(a))
  const spans = periodInvoices.flatMap(({ lines }) => lines.data.find(isFullPeriod)?.period ?? [])
  const isYear = ({ start, end }: Line['period']) => end - start > 300 * 86_400
  const firstOtherLength = spans.findIndex((span) => isYear(span) !== (spans[0] && isYear(spans[0])))
  return {
    period: periodInvoices[0],
    span: spans[0],
    /** When the latest unbroken run of periods of one length was ordered. */
    orderedAt: periodInvoices.at(firstOtherLength < 0 ? -1 : firstOtherLength - 1)?.status_transitions.paid_at,
    lastPaid: paid.filter(({ amount_paid }) => amount_paid > 0).toSorted((a, b) => paidAt(b) - paidAt(a))[0],
  }
}

const payableSince = ({ created, status_transitions: { finalized_at } }: Raw['invoice']) => finalized_at ?? created

/** Number of dunning emails due: at the first failure, before a retry in the second week, and after the last retry. */
function reminders(invoice: Raw['invoice']) {
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

function readNextAmount(ledger: Ledger) {
  const coupons = new Map(ledger('coupon').map((coupon) => [coupon.id, coupon]))
  const discounts = new Map(ledger('discount').map((discount) => [discount.id, discount]))
  const customers = new Map(ledger('customer').map((customer) => [customer.id, customer]))
  return ({ customer, discounts: ownDiscounts, items: { data } }: Raw['subscription']) => {
    const { balance = 0, discount: customerDiscount } = customers.get(customer) ?? {}
    const ids = ownDiscounts.length > 0 || !customerDiscount ? ownDiscounts : [customerDiscount.id]
    let amount = sum(data.map(({ price, quantity }) => price.unit_amount * quantity))
    for (const discount of ids.flatMap((id) => discounts.get(id) ?? [])) {
      const coupon = coupons.get(discount.source.coupon)
      if (!coupon || (discount.end ?? Infinity) <= (data[0]?.current_period_end ?? 0)) continue
      amount -= Math.min(amount, coupon.amount_off ?? Math.round((amount * (coupon.percent_off ?? 0)) / 100))
    }
    // A negative balance is a credit.
    return Math.max(0, amount + balance)
  }
}

const runningStatuses = new Set(['trialing', 'active', 'past_due', 'unpaid'])

function statusOf({ status, status_details, pause_collection }: Raw['subscription']) {
  if (pause_collection && runningStatuses.has(status)) return 'not collected'
  if (status !== 'paused') return status
  return statusByPauseReason[status_details?.paused.subscription.type ?? ''] ?? 'paused'
}

function freeUntil(subscription: Raw['subscription'], isFree: boolean, periodEnd: number) {
  if (isFree) return date(periodEnd)
  return subscription.trial_end ? date(subscription.trial_end) : null
}

const writtenOffAt = (due: Raw['invoice'] | undefined) =>
  due?.status === 'uncollectible' ? due.status_transitions.marked_uncollectible_at : null

/** Derived from Stripe's objects without the shop's code. */
function readWanted(ledger: Ledger) {
  const customers = new Map(ledger('customer').map((customer) => [customer.id, customer]))
  const invoicesOf = groupBy(ledger('invoice'), ({ parent }) => parent.subscription_details.subscription)
  const paymentsOf = readPayments(ledger)
  const nextAmountOf = readNextAmount(ledger)
  return ledger('subscription').flatMap((subscription) => {
    const { id, customer, status, cancel_at, cancel_at_period_end, ended_at, items } = subscription
    const [item] = items.data

    const periodEnd = item?.current_period_end ?? 0
    const invoices = invoicesOf(id)
    const payments = paymentsOf(invoices)
    const { period, span, orderedAt, lastPaid } = readPaid(invoices)
    const periodPayments = period ? payments.filter((each) => each.invoice === period.id) : payments.slice(0, 1)
    // A refund may fail after it has ended the purchase; the reason for the end stays.
    const isRefunded = ({ refunded, triedRefunds, amount }: (typeof payments)[number]) =>
      (ended_at ? Math.max(refunded, triedRefunds) : refunded) >= amount
    const isFullyRefunded = periodPayments.length > 0 && periodPayments.every(isRefunded)
    const keptOrReturned = isFullyRefunded ? 'returned' : 'kept'
    const paymentState = periodPayments.length === 0 ? 'none' : keptOrReturned

    const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
    // A renewal is forgiven if the seller voided its invoice before the end of the subscription.
    const isForgiven = due?.status === 'void' && (due.status_transitions.voided_at ?? Infinity) < (ended_at ?? Infinity)
    const isFree = subscription.pause_collection !== null || isForgiven

    // Unused time of the previous month also paid for a switch.
    const isSwitch = period?.lines.data.some(({ amount }) => amount < 0)
    const credited = isSwitch
      ? payments.find(
          ({ invoice: paidInvoice, created }) =>
            paidInvoice !== period?.id && created <= (period?.status_transitions.paid_at ?? 0),
        )
      : undefined
    const isPayable = (each?: Raw['invoice']) => each?.status === 'open' || each?.status === 'uncollectible'
    const invoice = isPayable(due) ? due : (invoices.findLast(isPayable) ?? due)
    // If there is a full refund and a lost dispute, the earlier one is the reason for the end.
    const lost = [...periodPayments, credited].find((each) => each?.isLost)
    const refundedAt = Math.max(0, ...periodPayments.map((each) => each.refundedAt))
    const state: StateAtStripe = {
      status: statusOf(subscription),
      cancellation: cancel_at_period_end || (cancel_at ?? Infinity) <= periodEnd ? 'scheduled' : 'none',
      // A forgiven renewal does not make the end count as unpaid.
      invoice: isForgiven && status === 'canceled' ? 'paid' : (due?.status ?? 'none'),
      payment: lost && !(isFullyRefunded && ended_at && lost.disputedAt >= refundedAt) ? 'charged back' : paymentState,
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
      nextAmount:
        (purchase === 'active' || isPastDue) && !subscription.pause_collection ? nextAmountOf(subscription) : null,
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
