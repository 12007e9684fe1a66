import { sql } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'

export type StripeObjects = {
  customer: { id: string; email: string; balance?: number; discount?: { id: string } | null }
  coupon: { id: string; percent_off: number | null; amount_off: number | null }
  discount: { id: string; end: number | null; source: { coupon: string } }
  subscription: {
    id: string
    customer: string
    status: string
    cancel_at: number | null
    cancel_at_period_end: boolean
    ended_at: number | null
    trial_end: number | null
    pause_collection: object | null
    automatic_tax: { disabled_reason: string | null }
    discounts: string[]
    status_details?: { paused: { subscription: { type: string }; transitioned_at: number } }
    items: {
      data: {
        current_period_start: number
        current_period_end: number
        quantity: number
        price: { unit_amount: number; recurring: { interval: 'month' | 'year'; interval_count: number } }
      }[]
    }
  }
  invoice: {
    id: string
    status: string
    created: number
    billing_reason: string
    amount_paid: number
    amount_remaining: number
    attempt_count: number
    next_payment_attempt: number | null
    status_transitions: Record<'finalized_at' | 'marked_uncollectible_at' | 'paid_at' | 'voided_at', number | null>
    lines: { data: Line[] }
    parent: { subscription_details: { subscription: string } }
  }
  invoice_payment: { id: string; invoice: string; payment: { payment_intent: string } }
  charge: { id: string; payment_intent: string; status: string; created: number; amount: number }
  refund: { id: string; charge: string; status: string; amount: number; created: number }
  dispute: { id: string; charge: string; status: string; created: number }
}
export type Line = {
  amount: number
  period: { start: number; end: number }
  /** Null for an item that the seller added. */
  parent: { subscription_item_details: { proration: boolean } | null }
}
export type Ledger = Awaited<ReturnType<typeof readLedger>>

export async function readLedger({ db }: Pick<Connection, 'db'>) {
  const { rows } = await db.execute<{ kind: keyof StripeObjects; data: StripeObjects[keyof StripeObjects] }>(
    sql`select kind, data from sandbox.objects order by seq`,
  )
  return <Kind extends keyof StripeObjects>(kind: Kind) =>
    rows.filter((row) => row.kind === kind).map(({ data }) => data as StripeObjects[Kind])
}

type Due = StripeObjects['invoice'] | undefined

/** Marked uncollectible before Stripe tried to charge it, as a pause of collection does. */
export const isNeverTried = (due: Pick<StripeObjects['invoice'], 'status' | 'attempt_count'> | undefined) =>
  due?.status === 'uncollectible' && due.attempt_count === 0

export const isPayable = (due: Due) => due?.status === 'open' || (due?.status === 'uncollectible' && !isNeverTried(due))

/** True if the seller voided a renewal's invoice, or never tried it, before the end of the subscription. */
export function wasForgiven(due: Due, endedAt: number | null) {
  const { voided_at: voidedAt, marked_uncollectible_at: givenUpAt } = due?.status_transitions ?? {}
  const isGivenUp = due?.status === 'void' || isNeverTried(due)
  return isGivenUp && (voidedAt ?? givenUpAt ?? Infinity) < (endedAt ?? Infinity)
}
