import { sql } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'

/** Stripe's objects as stored, only as far as they are read here. */
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
const isPart = ({ parent }: Line) => parent.subscription_item_details?.proration === true
const sum = (amounts: { amount: number }[]) => amounts.reduce((total, { amount }) => total + amount, 0)

/**
 * The oracle: what a subscription earned in a year at any second, straight from the sandbox's books and the slow way, by looking
 * at all of its invoices again. Returns it with every second at which it may have changed.
 */
export async function yearlyRevenue({ db }: Pick<Connection, 'db'>, id: string, now: number) {
  const read = async <Kept>(condition: ReturnType<typeof sql>) =>
    (await db.execute<{ data: Kept }>(sql`select data from sandbox.objects where ${condition} order by seq`)).rows.map(
      ({ data }) => data,
    )
  const [subscription] = await read<Subscription>(sql`id = ${id}`)
  const prices = new Map((await read<Price>(sql`kind = 'price'`)).map((price) => [price.id, price]))
  const invoices = await read<Invoice>(
    sql`kind = 'invoice' and data->'parent'->'subscription_details'->>'subscription' = ${id}`,
  )
  if (!subscription) throw new Error(`There is no ${id}`)
  const ended = subscription.ended_at ?? Infinity

  const bought = invoices.flatMap(({ id: invoice, status, status_transitions: { paid_at }, lines }) => {
    const positive = lines.data.filter(({ amount, parent }) => amount > 0 && parent.subscription_item_details !== null)
    const line = positive.find((each) => !isPart(each)) ?? positive[0]
    if (status !== 'paid' || paid_at === null || !line || paid_at > ended) return []
    const price = prices.get(line.pricing.price_details.price)
    const yearly = (price?.unit_amount ?? 0) * line.quantity * (price?.recurring.interval === 'year' ? 1 : 12)
    const kept = (line.amount - sum(line.discount_amounts) - sum(line.taxes)) / line.amount
    return { invoice, paidAt: paid_at, isPart: isPart(line), ...line.period, arr: Math.round(yearly * kept) }
  })
  // Of two in the same second, the one made later.
  const latest = (list: typeof bought) => list.toSorted((a, b) => a.start - b.start || a.paidAt - b.paidAt).at(-1)
  const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
  // Collection is paused, or the seller voided the invoice during the subscription.
  const isFree =
    subscription.pause_collection !== null ||
    (due?.status === 'void' && (due.status_transitions.voided_at ?? Infinity) < ended)

  function arrAt(t: number) {
    const paid = bought.filter(({ paidAt }) => paidAt <= t)
    const [current, whole] = [latest(paid), latest(paid.filter((each) => !each.isPart))]
    if (!current || t >= ended) return 0
    if (!whole || t < Math.max(whole.end, whole.paidAt)) return current.arr
    // Its paid time is over: whether it still counts depends on what came next.
    const next = bought
      .filter(({ paidAt, isPart: part }) => !part && paidAt > t)
      .toSorted((a, b) => a.paidAt - b.paidAt)[0]
    if (next) return next.start - whole.end > day ? 0 : current.arr
    const isIdle = isFree || subscription?.status === 'paused' || (subscription?.trial_end ?? 0) > now
    const until = ended < Infinity ? ended : isIdle ? now : whole.end
    const isOwed = due && due.status !== 'paid' && due.created > whole.end - day
    return until - whole.end > day && (isFree || !isOwed) ? 0 : current.arr
  }

  const moments = [...bought.flatMap(({ paidAt, end }) => [paidAt, end]), ...(ended < Infinity ? [ended] : [])]
  return { arrAt, moments: moments.flatMap((t) => (t <= now ? [t - 1, t, t + 1] : [])) }
}
