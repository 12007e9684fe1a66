import { sql } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'
import { readObjects } from './paid-time.ts'

type Line = {
  amount: number
  quantity: number
  discount_amounts: { amount: number }[]
  taxes: { amount: number }[]
  period: { start: number; end: number }
  /** Null for an item that the seller added. */
  parent: { subscription_item_details: { proration: boolean } | null }
  pricing: { price_details: { price: string } }
}
type Invoice = {
  id: string
  status: string
  created: number
  billing_reason: string
  status_transitions: { paid_at: number | null; voided_at: number | null }
  lines: { data: Line[] }
}
type Price = { id: string; unit_amount: number; recurring: { interval: 'month' | 'year' } }
type Subscription = {
  status: string
  ended_at: number | null
  trial_end: number | null
  pause_collection: object | null
}

const day = 86_400
const isProration = ({ parent }: Line) => parent.subscription_item_details?.proration === true
const sum = (amounts: { amount: number }[]) => amounts.reduce((total, { amount }) => total + amount, 0)

/** Recomputed from all invoices, without the shop's code. `moments` are the seconds around each possible change. */
export async function yearlyRevenue(connection: Pick<Connection, 'db'>, id: string, now: number) {
  const [subscription] = await readObjects<Subscription>(connection, sql`id = ${id}`)
  const priceList = await readObjects<Price>(connection, sql`kind = 'price'`)
  const prices = new Map(priceList.map((price) => [price.id, price]))
  const invoices = await readObjects<Invoice>(
    connection,
    sql`kind = 'invoice' and data->'parent'->'subscription_details'->>'subscription' = ${id}`,
  )
  if (!subscription) throw new Error(`There is no ${id}`)
  const endedAt = subscription.ended_at ?? Infinity

  const paidPeriods = invoices.flatMap(({ id: invoice, status, status_transitions: { paid_at }, lines }) => {
    const charges = lines.data.filter(({ amount, parent }) => amount > 0 && parent.subscription_item_details !== null)
    const line = charges.find((each) => !isProration(each)) ?? charges[0]
    if (status !== 'paid' || paid_at === null || !line || paid_at > endedAt) return []
    const price = prices.get(line.pricing.price_details.price)
    const timesAYear = price?.recurring.interval === 'year' ? 1 : 12
    const yearlyListPrice = (price?.unit_amount ?? 0) * line.quantity * timesAYear
    const chargedShare = (line.amount - sum(line.discount_amounts) - sum(line.taxes)) / line.amount
    return {
      invoice,
      paidAt: paid_at,
      isProration: isProration(line),
      ...line.period,
      arr: Math.round(yearlyListPrice * chargedShare),
    }
  })
  // Of two periods that start in the same second, the later payment counts.
  const latestOf = (periods: typeof paidPeriods) =>
    periods.toSorted((a, b) => a.start - b.start || a.paidAt - b.paidAt).at(-1)
  const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
  // Collection is paused, or the seller voided the invoice during the subscription.
  const isFree =
    subscription.pause_collection !== null ||
    (due?.status === 'void' && (due.status_transitions.voided_at ?? Infinity) < endedAt)

  function arrAt(second: number) {
    const paidSoFar = paidPeriods.filter(({ paidAt }) => paidAt <= second)
    const current = latestOf(paidSoFar)
    const fullPeriod = latestOf(paidSoFar.filter((period) => !period.isProration))
    if (!current || second >= endedAt) return 0
    if (!fullPeriod || second < Math.max(fullPeriod.end, fullPeriod.paidAt)) return current.arr
    // After the paid time, the next period decides. A gap of more than a day counts as an end.
    const laterPeriods = paidPeriods.filter((period) => !period.isProration && period.paidAt > second)
    const next = laterPeriods.toSorted((a, b) => a.paidAt - b.paidAt)[0]
    if (next) return next.start - fullPeriod.end > day ? 0 : current.arr
    const isIdle = isFree || subscription?.status === 'paused' || (subscription?.trial_end ?? 0) > now
    const idleUntil = isIdle ? now : fullPeriod.end
    const until = endedAt < Infinity ? endedAt : idleUntil
    const isOwed = due && due.status !== 'paid' && due.created > fullPeriod.end - day
    const hasGap = until - fullPeriod.end > day
    return hasGap && (isFree || !isOwed) ? 0 : current.arr
  }

  const changes = paidPeriods.flatMap(({ paidAt, end }) => [paidAt, end])
  if (endedAt < Infinity) changes.push(endedAt)
  const pastChanges = changes.filter((second) => second <= now)
  return { arrAt, moments: pastChanges.flatMap((second) => [second - 1, second, second + 1]) }
}
