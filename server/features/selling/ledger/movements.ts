import { planOf } from '#contract/plans.ts'
import type { BillingType, MovementCause } from '#contract/statuses.ts'
import { hasEnded, invoiceCauses } from '#contract/statuses.ts'
import type { PaidPeriod, Subscription } from '#server/gateways/stripe.ts'
import { presentPeriodStatus } from '../invoices/invoices.ts'

/** Change of a purchase's annual revenue, in cents. `source` identifies it, such as by the invoice that caused it. */
export type Movement = {
  source: string
  at: Date
  before: number
  after: number
  cause: MovementCause
  billing: BillingType | null
}

type End = { at: Date; cause: MovementCause }

const dayMs = 86_400_000

/** Deterministic. Past-due time counts as revenue; paused, given, forgiven and uncollected time does not. */
export function movementsOf(subscription: Subscription, end: End | null, now: Date): Movement[] {
  const { latestPeriodInvoice, status, paused, trialEndsAt } = subscription
  const recorder = createRecorder()
  const periods = subscription.periods
    .filter(({ paidAt }) => !end || paidAt <= end.at)
    .toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime() || a.start.getTime() - b.start.getTime())
  let latest: PaidPeriod | undefined
  let latestFull: PaidPeriod | undefined
  for (const period of periods) {
    // Skips an older period that was paid after a newer one.
    if (latest && period.start < latest.start) continue
    if (latestFull && !period.isProration && hasGap(latestFull.end, period.start)) recorder.pauseAfter(latestFull)
    const cause = causeOf(recorder.causeOfStop(), latest, period)
    recorder.move(period.invoiceId, period.paidAt, period.rate.arr, cause, period)
    latest = period
    if (!period.isProration) latestFull = period
  }

  const periodStatus = presentPeriodStatus(subscription)
  const isFree = periodStatus === 'forgiven' || periodStatus === 'not collected'
  const isPaused = status === 'paused' && paused !== null
  const isInTrial = trialEndsAt !== null && trialEndsAt > now
  const isUncharged = isFree || isPaused || isInTrial
  const unpaidUntil = end?.at ?? (isUncharged ? now : null)
  if (latestFull && unpaidUntil && hasGap(latestFull.end, unpaidUntil)) {
    const countsAsPastDue = !isFree && isNextPeriodOwed(latestPeriodInvoice, latestFull)
    if (!countsAsPastDue) recorder.pauseAfter(latestFull)
  }
  if (end) recorder.move('end', end.at, 0, end.cause, latest)
  return recorder.movements
}

/** Ignores a gap of up to a day, because Stripe begins a new period within hours. */
const hasGap = (end: Date, next: Date) => next.getTime() - end.getTime() > dayMs

const isNextPeriodOwed = (invoice: Subscription['latestPeriodInvoice'], { end }: PaidPeriod) =>
  invoice !== null && invoice.status !== 'paid' && invoice.createdAt.getTime() > end.getTime() - dayMs

/** True if the last invoice was $0: the purchase runs at 100 % off. */
export const isFullyDiscounted = (last: { after: number; cause: MovementCause } | undefined) =>
  last?.after === 0 && invoiceCauses.some((cause) => cause === last.cause)

function createRecorder() {
  const movements: Movement[] = []
  const last = () => movements.at(-1)
  function move(source: string, at: Date, after: number, cause: MovementCause, period?: PaidPeriod) {
    const before = last()?.after ?? 0
    const billing = period?.rate.billing ?? null
    // The end of a subscription at 100 % off loses a customer although no revenue.
    const losesCustomer = source === 'end' && isFullyDiscounted(last())
    if (after !== before || losesCustomer) movements.push({ source, at, before, after, cause, billing })
  }
  return {
    movements,
    move,
    causeOfStop: () => (last()?.after === 0 ? last()?.cause : undefined),
    pauseAfter: (period: PaidPeriod) =>
      move(
        `after ${period.invoiceId}`,
        new Date(Math.max(period.end.getTime(), period.paidAt.getTime())),
        0,
        'pause',
        period,
      ),
  }
}

function causeOf(causeOfStop: MovementCause | undefined, before: PaidPeriod | undefined, { rate }: PaidPeriod) {
  if (!before) return 'bought'
  if (causeOfStop === 'pause') return 'resume'
  if (before.rate.billing !== rate.billing) return 'plan'
  if (before.rate.quantity !== rate.quantity) return 'quantity'
  if (before.rate.discount !== rate.discount) return 'discount'
  return before.rate.priceId === rate.priceId ? 'tax' : 'price'
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
  const { billingType: billing, price, createdAt, endedAt } = row
  const isOver = hasEnded(row.status)
  if (row.bookedAs === 'gift' || price === 0 || (isOver && !endedAt)) return []
  const arr = Math.round((price * 12) / planOf(billing).months)
  const bought: Movement = { source: 'booked', at: createdAt, before: 0, after: arr, cause: 'bought', billing }
  if (!isOver) return [bought]
  const end = endedAt && endedAt > createdAt ? endedAt : createdAt
  return [bought, { source: 'end', at: end, before: arr, after: 0, cause: row.endedBecause ?? 'expired', billing }]
}

/** Annual recurring revenue after the last movement. */
export const arrOf = (movements: Movement[]) => movements.at(-1)?.after ?? 0
