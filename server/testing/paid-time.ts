import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'
import { isNeverTried } from './stripe-ledger.ts'

export type StoredLine = {
  amount: number
  period: { start: number; end: number }
  parent: { subscription_item_details: { proration: boolean } | null }
}
type Invoice = {
  id: string
  status: string
  created: number
  billing_reason: string
  amount_paid: number
  attempt_count: number
  lines: { data: StoredLine[] }
  status_transitions: Record<'finalized_at' | 'marked_uncollectible_at', number | null>
}
type Subscription = {
  status: string
  ended_at: number | null
  trial_end: number | null
  pause_collection: object | null
  items: { data: { current_period_end: number }[] }
}
type Charge = {
  invoice: string
  amount: number
  refunded: number
  lost: boolean
  created: number
  /** True if there was a refund, even a failed one, or a dispute. */
  isTouched: boolean
}

/** Price of a period that begins at `start` (in seconds), with the buyer's code if it applies. */
export type Offered = (plan: 'monthly' | 'yearly', start: number) => number

const day = 86_400
const isFullPeriod = ({ amount, parent }: StoredLine) =>
  amount > 0 && parent.subscription_item_details?.proration === false

/** Objects that Stripe has, oldest first. */
export async function readObjects<StripeObject>({ db }: Pick<Connection, 'db'>, condition: SQL) {
  const { rows } = await db.execute<{ data: StripeObject }>(
    sql`select data from sandbox.objects where ${condition} order by seq`,
  )
  return rows.map(({ data }) => data)
}

async function readBooks(connection: Pick<Connection, 'db'>, id: string) {
  const { db } = connection
  const [subscription] = await readObjects<Subscription>(connection, sql`id = ${id}`)
  if (!subscription) throw new Error(`There is no ${id}`)
  const invoices = await readObjects<Invoice>(
    connection,
    sql`kind = 'invoice' and data->'parent'->'subscription_details'->>'subscription' = ${id}`,
  )
  const { rows: charges } = await db.execute<Charge>(sql`
    select p.data->>'invoice' as invoice, (c.data->>'amount')::int as amount, (c.data->>'created')::int as created,
      (c.data->>'amount_refunded')::int as refunded, exists (select from sandbox.objects d where d.kind = 'dispute'
        and d.data->>'charge' = c.id and d.data->>'status' ~ '^(lost|prevented|appeal_)') as lost,
      exists (select from sandbox.objects o where o.kind in ('refund', 'dispute') and o.data->>'charge' = c.id) as "isTouched"
    from sandbox.objects c join sandbox.objects p on p.kind = 'invoice_payment'
      and p.data->'payment'->>'payment_intent' = c.data->>'payment_intent'
    where c.kind = 'charge' and c.data->>'status' = 'succeeded'
      and p.data->>'invoice' in (select id from sandbox.objects where kind = 'invoice'
        and data->'parent'->'subscription_details'->>'subscription' = ${id}) order by c.seq`)
  return { subscription, invoices, charges }
}

/** Derived from the sandbox's objects without the shop's code. `now` is in seconds. */
export async function paidTime(connection: Pick<Connection, 'db'>, id: string, now: number) {
  const { subscription, invoices, charges } = await readBooks(connection, id)
  const endedAt = subscription.ended_at ?? Infinity
  /** True if the payment of the invoice is not kept: refunded or charged back. */
  const isReturned = (invoice: string) => {
    const payments = charges.filter((charge) => charge.invoice === invoice)
    const isRefunded = payments.length > 0 && payments.every(({ amount, refunded }) => refunded >= amount)
    return isRefunded || payments.some(({ lost }) => lost)
  }
  const paidInvoices = invoices.filter(({ status }) => status === 'paid')
  const periods = paidInvoices.flatMap((invoice) => {
    const period = invoice.lines.data.find(isFullPeriod)?.period
    const hasCredit = invoice.lines.data.some(({ amount }) => amount < 0)
    return period ? { invoice: invoice.id, created: invoice.created, ...period, hasCredit } : []
  })
  // A switch ends the previous period with a credit, even if the new period is refunded later.
  const shortenedPeriods = periods.map((period, index) => {
    const laterStarts = periods.slice(index + 1).map(({ start }) => Math.max(start, period.start))
    return { ...period, until: Math.min(period.end, ...laterStarts) }
  })
  const keptPeriods = shortenedPeriods.filter(({ invoice }) => !isReturned(invoice))
  const coveringPeriods = keptPeriods.filter(({ start, until, hasCredit, created, invoice }) => {
    // A switch was also paid with the credit of the previous payment; if that is charged back, the switch is unpaid.
    const previousCharge = charges.findLast((each) => each.created <= created && each.invoice !== invoice)
    const isCreditLost = hasCredit && previousCharge?.lost
    return start <= now && now < until && !isCreditLost
  })
  /** False after a withdrawal, even during a dispute or if its refund failed. */
  const isUntouched = (invoice: string) => {
    const payments = charges.filter((charge) => charge.invoice === invoice)
    return payments.length > 0 && payments.every(({ isTouched }) => !isTouched)
  }
  const due = invoices.findLast(({ billing_reason: reason }) => reason !== 'subscription_update')
  const { finalized_at: payableSince = null, marked_uncollectible_at: writtenOffAt = null } =
    due?.status_transitions ?? {}
  const unpaidSince = writtenOffAt ?? payableSince ?? due?.created ?? 0
  const isUnpaid = due?.status === 'open' || due?.status === 'uncollectible'
  const periodEnd = subscription.items.data[0]?.current_period_end ?? 0
  const hasEnded = now >= endedAt
  const reasons = {
    paid: coveringPeriods.length > 0,
    given: (subscription.trial_end ?? 0) > now,
    'not collected': subscription.pause_collection !== null,
    forgiven: (due?.status === 'void' || isNeverTried(due)) && now < periodEnd,
    // A draft keeps access until the seller finalizes the invoice.
    'being billed': due?.status === 'draft' || (due?.attempt_count === 0 && now < due.created + 3 * day),
    grace: isUnpaid && now < unpaidSince + 14 * day,
  }
  const applicableReasons = Object.entries(reasons).filter(([, applies]) => applies)

  return {
    reasons: hasEnded ? [] : applicableReasons.map(([reason]) => reason),
    hasPaid:
      subscription.status !== 'paused' && coveringPeriods.some(({ invoice }) => !hasEnded || isUntouched(invoice)),
    /** `least` is the price of the time used so far. */
    priceOf(offered: Offered) {
      let paid = 0
      for (const { id: invoice, amount_paid: amount } of paidInvoices) if (!isReturned(invoice)) paid += amount
      for (const { invoice, refunded } of charges) if (!isReturned(invoice)) paid -= refunded
      let least = 0
      for (const { start, end, until } of keptPeriods) {
        const usedShare = Math.max(0, Math.min(until, endedAt, now) - start) / (end - start)
        const plan = end - start > 300 * day ? 'yearly' : 'monthly'
        least += offered(plan, start) * usedShare
      }
      return { paid, least }
    },
  }
}
