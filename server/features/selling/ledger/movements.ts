import { planOf } from '#contract/plans.ts'
import type { BillingType, MovementCause } from '#contract/statuses.ts'
import { hasEnded, invoiceCauses } from '#contract/statuses.ts'
import type { PaidPeriod, Subscription } from '#server/gateways/stripe.ts'
import { presentPeriod } from '../invoices/invoices.ts'

/** Change of a purchase's yearly revenue. `source` identifies it permanently. */
export type Movement = {
  source: string
  at: Date
  before: number
  after: number
  cause: MovementCause
  billing: BillingType | null
}

type End = { at: Date; cause: MovementCause }

const day = 86_400_000

/**
 * How the revenue of a subscription moved, from its paid periods alone: it begins when money arrives, changes with the next
 * paid invoice and ends at Stripe's end. The same history gives the same movements, whenever someone looks. What is past due
 * counts until it ends; time that is not paid for, because it was paused, given, forgiven or not collected, does not.
 */
export function movementsOf(subscription: Subscription, end: End | null, now: Date): Movement[] {
  const { dueInvoice, status, paused, trialEndsAt } = subscription
  const walk = begin()
  const periods = subscription.periods
    .filter(({ paidAt }) => !end || paidAt <= end.at)
    .toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime() || a.start.getTime() - b.start.getTime())
  let [latest, whole]: (PaidPeriod | undefined)[] = []
  for (const period of periods) {
    // Skips a period that was paid after a newer one.
    if (latest && period.start < latest.start) continue
    if (whole && !period.isProration && isApart(whole.end, period.start)) walk.rest(whole)
    walk.move(period.invoiceId, period.paidAt, period.rate.arr, why(walk.cause(), latest, period), period)
    latest = period
    if (!period.isProration) whole = period
  }
  const period = presentPeriod(subscription)
  const isFree = period === 'forgiven' || period === 'not collected'
  const isIdle = isFree || (status === 'paused' && paused !== null) || (trialEndsAt !== null && trialEndsAt > now)
  const until = end?.at ?? (isIdle ? now : null)
  if (whole && until && isApart(whole.end, until) && (isFree || !isOwed(dueInvoice, whole))) walk.rest(whole)
  if (end) walk.move('end', end.at, 0, end.cause, latest)
  return walk.movements
}

/** A day's slack: Stripe rolls a period over within hours. */
const isApart = (end: Date, next: Date) => next.getTime() - end.getTime() > day

/** True if the next period was billed and is not paid. */
const isOwed = (invoice: Subscription['dueInvoice'], { end }: PaidPeriod) =>
  invoice !== null && invoice.status !== 'paid' && invoice.createdAt.getTime() > end.getTime() - day

/** True while a purchase runs at 100 % off: its last paid invoice was for nothing. */
export const isFullyDiscounted = (last: { after: number; cause: MovementCause } | undefined) =>
  last?.after === 0 && invoiceCauses.some((cause) => cause === last.cause)

function begin() {
  const movements: Movement[] = []
  const last = () => movements.at(-1)
  function move(source: string, at: Date, after: number, cause: MovementCause, period?: PaidPeriod) {
    const before = last()?.after ?? 0
    const billing = period?.rate.billing ?? null
    // An end during time at 100 % off loses a customer without losing revenue.
    const isLost = source === 'end' && isFullyDiscounted(last())
    if (after !== before || isLost) movements.push({ source, at, before, after, cause, billing })
  }
  return {
    movements,
    move,
    cause: () => (last()?.after === 0 ? last()?.cause : undefined),
    rest: (period: PaidPeriod) =>
      move(
        `after ${period.invoiceId}`,
        new Date(Math.max(period.end.getTime(), period.paidAt.getTime())),
        0,
        'pause',
        period,
      ),
  }
}

function why(stopped: MovementCause | undefined, before: PaidPeriod | undefined, { rate }: PaidPeriod) {
  if (!before) return 'bought'
  if (stopped === 'pause') return 'resume'
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

/** Movements of a purchase booked by hand. Gifts and purchases that never ran have none. */
export function movementsOfBooked(row: BookedRow): Movement[] {
  const { billingType: billing, price, createdAt, endedAt } = row
  const isOver = hasEnded(row.status)
  if (row.bookedAs === 'gift' || price === 0 || (isOver && !endedAt)) return []
  const arr = Math.round((price * 12) / planOf(billing).months)
  const end = endedAt && endedAt > createdAt ? endedAt : createdAt
  return [
    { source: 'booked', at: createdAt, before: 0, after: arr, cause: 'bought', billing },
    ...(isOver
      ? [{ source: 'end', at: end, before: arr, after: 0, cause: row.endedBecause ?? ('expired' as const), billing }]
      : []),
  ]
}

export const arrOf = (movements: Movement[]) => movements.at(-1)?.after ?? 0
