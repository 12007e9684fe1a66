import { dayMs } from '#contract/dates.ts'
import { planOf } from '#contract/plans.ts'
import type { BillingType, MovementCause } from '#contract/statuses.ts'
import { hasEnded, invoiceCauses } from '#contract/statuses.ts'
import type { PaidPeriod, Subscription } from '#server/gateways/stripe.ts'
import { presentPeriodStatus } from '../invoices/invoices.ts'

/** Change of a purchase's annual revenue, in cents. `source` identifies it, such as by the invoice that caused it. */
export type Movement = {
  source: string
  at: Date
  arrBefore: number
  arrAfter: number
  cause: MovementCause
  billingType: BillingType | null
}

type End = { at: Date; cause: MovementCause }

/** Deterministic. Past-due time counts as revenue; paused, given, forgiven and uncollected time does not. */
export function movementsOf(subscription: Subscription, end: End | null, now: Date): Movement[] {
  const { latestPeriodInvoice, status, paused, trialEndsAt } = subscription
  const recorder = createRecorder()
  let latest: PaidPeriod | undefined
  let latestFull: PaidPeriod | undefined
  for (const period of periodsPaidUntil(end, subscription)) {
    // An older period that was paid after a newer one changes nothing.
    const isOlderPeriod = latest && period.start < latest.start
    if (isOlderPeriod) continue
    const { invoiceId, paidAt, start, rate, isProration } = period
    if (latestFull && !isProration && hasGap(latestFull.end, start)) recorder.recordPauseAfter(latestFull)
    const cause = causeOf(recorder.causeOfStop(), latest, period)
    recorder.record({ source: invoiceId, at: paidAt, arrAfter: rate.arr, cause, period })
    latest = period
    if (!isProration) latestFull = period
  }

  const periodStatus = presentPeriodStatus(subscription)
  const isFree = periodStatus === 'forgiven' || periodStatus === 'not collected'
  const isPaused = status === 'paused' && paused !== null
  const isInTrial = trialEndsAt !== null && trialEndsAt > now
  const isUncharged = isFree || isPaused || isInTrial
  const unpaidUntil = end?.at ?? (isUncharged ? now : null)
  if (latestFull && unpaidUntil && hasGap(latestFull.end, unpaidUntil)) {
    const countsAsPastDue = !isFree && isNextPeriodOwed(latestPeriodInvoice, latestFull)
    if (!countsAsPastDue) recorder.recordPauseAfter(latestFull)
  }
  if (end) recorder.record({ source: 'end', at: end.at, arrAfter: 0, cause: end.cause, period: latest })
  return recorder.movements
}

/** In the order of payment; periods paid in the same second in their own order. */
const periodsPaidUntil = (end: End | null, { periods }: Subscription) =>
  periods
    .filter(({ paidAt }) => !end || paidAt <= end.at)
    .toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime() || a.start.getTime() - b.start.getTime())

/** Ignores a gap of up to a day, because Stripe begins a new period within hours. */
const hasGap = (end: Date, next: Date) => next.getTime() - end.getTime() > dayMs

const isNextPeriodOwed = (invoice: Subscription['latestPeriodInvoice'], { end }: PaidPeriod) =>
  invoice !== null && invoice.status !== 'paid' && invoice.createdAt.getTime() > end.getTime() - dayMs

/** True if the last invoice was $0: the purchase runs at 100 % off. */
export const isFullyDiscounted = (last: Pick<Movement, 'arrAfter' | 'cause'> | undefined) =>
  last?.arrAfter === 0 && invoiceCauses.some((cause) => cause === last.cause)

type RecordInput = Pick<Movement, 'source' | 'at' | 'arrAfter' | 'cause'> & { period: PaidPeriod | undefined }

function createRecorder() {
  const movements: Movement[] = []

  /** Ignores a payment that doesn't change the revenue, such as a renewal at the same price. */
  function record({ source, at, arrAfter, cause, period }: RecordInput) {
    const last = movements.at(-1)
    const arrBefore = last?.arrAfter ?? 0
    const billingType = period?.rate.billing ?? null
    // The end of a subscription at 100 % off loses a customer although no revenue.
    const losesCustomer = source === 'end' && isFullyDiscounted(last)
    if (arrAfter !== arrBefore || losesCustomer) movements.push({ source, at, arrBefore, arrAfter, cause, billingType })
  }

  return {
    movements,
    record,

    recordPauseAfter(period: PaidPeriod) {
      const at = new Date(Math.max(period.end.getTime(), period.paidAt.getTime()))
      record({ source: `after ${period.invoiceId}`, at, arrAfter: 0, cause: 'pause', period })
    },

    /** Undefined while the purchase brings revenue. */
    causeOfStop() {
      const last = movements.at(-1)
      return last?.arrAfter === 0 ? last.cause : undefined
    },
  }
}

function causeOf(causeOfStop: MovementCause | undefined, previous: PaidPeriod | undefined, { rate }: PaidPeriod) {
  if (!previous) return 'bought'
  if (causeOfStop === 'pause') return 'resume'
  if (previous.rate.billing !== rate.billing) return 'plan'
  if (previous.rate.quantity !== rate.quantity) return 'quantity'
  if (previous.rate.discount !== rate.discount) return 'discount'
  return previous.rate.priceId === rate.priceId ? 'tax' : 'price'
}

type BookedRow = {
  billingType: BillingType
  price: number
  status: Parameters<typeof hasEnded>[0]
  bookedAs: string | null
  createdAt: Date
  endedAt: Date | null
  endedBecause: MovementCause | null
}

export function movementsOfBooked(row: BookedRow): Movement[] {
  const { billingType, price, createdAt, endedAt, endedBecause } = row
  const isOver = hasEnded(row.status)
  const isFree = row.bookedAs === 'gift' || price === 0
  // A booking may be entered as ended, without a day.
  const hasUnknownEnd = isOver && !endedAt
  if (isFree || hasUnknownEnd) return []
  const arr = Math.round((price * 12) / planOf(billingType).months)
  const bought: Movement = {
    source: 'booked',
    at: createdAt,
    arrBefore: 0,
    arrAfter: arr,
    cause: 'bought',
    billingType,
  }
  if (!isOver) return [bought]
  const endsAt = endedAt && endedAt > createdAt ? endedAt : createdAt
  const cause = endedBecause ?? 'expired'
  return [bought, { source: 'end', at: endsAt, arrBefore: arr, arrAfter: 0, cause, billingType }]
}

/** Annual recurring revenue after the last movement. */
export const arrOf = (movements: Movement[]) => movements.at(-1)?.arrAfter ?? 0
