import { sql } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'

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
export async function yearlyRevenue({ db }: Pick<Connection, 'db'>, id: string, now: number) {
  const read = async <StripeObject>(condition: ReturnType<typeof sql>) =>
    (
      await db.execute<{ data: StripeObject }>(sql`select data from sandbox.objects where ${condition} order by seq`)
    ).rows.map(({ data }) => data)
  const [subscription] = await read<Subscription>(sql`id = ${id}`)
  const prices = new Map((await read<Price>(sql`kind = 'price'`)).map((price) => [price.id, price]))
  const invoices = await read<Invoice>(
    sql`kind = 'invoice' and data->'parent'->'subscription_details'->>'subscription' = ${id}`,
  )
  if (!subscription) throw new Error(`There is no ${id}`)
  const ended = subscription.ended_at ?? Infinity

  const bought = invoices.flatMap(({ id: invoice, status, status_transitions: { paid_at }, lines }) => {
    const positive = lines.data.filter(({ amount, parent }) => amount > 0 && parent.subscription_item_details !== null)
    const line = positive.find((each) => !isProration(each)) ?? positive[0]
    if (status !== 'paid' || paid_at === null || !line || paid_at > ended) return []
    const price = prices.get(line.pricing.price_details.price)
    const yearlyListPrice = (price?.unit_amount ?? 0) * line.quantity * (price?.recurring.interval === 'year' ? 1 : 12)
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
  const latest = (list: typeof bought) => list.toSorted((a, b) => a.start - b.start || a.paidAt - b.paidAt).at(-1)
  const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
  // Collection is paused, or the seller voided the invoice during the subscription.
  const isFree =
    subscription.pause_collection !== null ||
    (due?.status === 'void' && (due.status_transitions.voided_at ?? Infinity) < ended)

  function arrAt(second: number) {
    const paid = bought.filter(({ paidAt }) => paidAt <= second)
    const [current, fullPeriod] = [latest(paid), latest(paid.filter((each) => !each.isProration))]
    if (!current || second >= ended) return 0
    if (!fullPeriod || second < Math.max(fullPeriod.end, fullPeriod.paidAt)) return current.arr
    // After the paid time, the next period decides.
    const next = bought
      .filter(({ paidAt, isProration: isPart }) => !isPart && paidAt > second)
      .toSorted((a, b) => a.paidAt - b.paidAt)[0]
    if (next) return next.start - fullPeriod.end > day ? 0 : current.arr
    const isIdle = isFree || subscription?.status === 'paused' || (subscription?.trial_end ?? 0) > now
    const lastSecond = isIdle ? now : fullPeriod.end
    const until = ended < Infinity ? ended : lastSecond
    const isOwed = due && due.status !== 'paid' && due.created > fullPeriod.end - day
    return until - fullPeriod.end > day && (isFree || !isOwed) ? 0 : current.arr
  }

  const moments = [...bought.flatMap(({ paidAt, end }) => [paidAt, end]), ...(ended < Infinity ? [ended] : [])]
  return { arrAt, moments: moments.flatMap((second) => (second <= now ? [second - 1, second, second + 1] : [])) }
}
