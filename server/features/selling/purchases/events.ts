import { dayInWords } from '#contract/dates.ts'
import { type EndReason, hasEnded } from '#contract/statuses.ts'
import { periodOf } from './list.ts'
import type { PurchaseRow } from './rows.ts'

export type PurchaseEvent = {
  key: string
  at: Date
  what: string
  purchase: { product: string; amount: number; period: string }
}

const endings: Record<EndReason, string> = {
  cancelled: 'Subscription ended',
  unpaid: 'Subscription expired unpaid',
  refunded: 'Subscription ended: refunded',
  disputed: 'Subscription ended: lost dispute',
  gone: 'Subscription ended: gone at Stripe',
  duplicate: 'Second subscription ended',
  code_used_up: 'Refunded: the code was used up',
  code_new_only: 'Refunded: the code is for new customers',
}

const disputeInWords = ({ isDisputed, disputeDueAt }: PurchaseRow) =>
  isDisputed && disputeDueAt
    ? `Disputed a payment; answer the bank by ${dayInWords(disputeDueAt)}`
    : 'Disputed a payment'

export function eventsOf(row: PurchaseRow, product: string): PurchaseEvent[] {
  const { id, price: amount, createdAt, pastDueSince, pausedAt, endedAt, endedBecause } = row
  const purchase = { product, amount, period: periodOf(row) }
  const event = (step: string, at: Date, what: string) => ({ key: `${id}-${step}`, at, what, purchase })
  const events = [event('begun', createdAt, row.paidThrough === 'stripe' ? 'Subscribed' : 'Booked by hand')]
  if (pastDueSince) events.push(event('unpaid', pastDueSince, 'Renewal not paid'))
  if (pausedAt) events.push(event('paused', pausedAt, 'Paused at Stripe'))
  if (row.disputedAt) events.push(event('disputed', row.disputedAt, disputeInWords(row)))
  if (endedAt && hasEnded(row.status)) events.push(event('ended', endedAt, endings[endedBecause ?? 'cancelled']))
  return events
}
