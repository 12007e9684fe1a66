import type { Price } from '../objects/catalog.ts'
import type { Charge, Dispute, Refund } from '../objects/charge.ts'
import type { PaymentIntent } from '../objects/intent.ts'
import type { Invoice } from '../objects/invoice.ts'
import type { Subscription } from '../objects/subscription.ts'
import type { Quirks } from '../quirks.ts'
import type { Work } from '../work.ts'

const shown = 50

export type SubscriptionRow = { subscription: Subscription; email: string | null }
export type PaymentRow = {
  invoice: Invoice
  intent: PaymentIntent
  charge: Charge | null
  dispute: Dispute | null
  refund: Refund | null
}
export type EventRow = {
  id: string
  type: string
  created: string
  about: string
  deliveries: number
  delivered: number
  attempts: number
  answer: string | null
  next: Date | null
}
export type ControlData = {
  now: number
  search: string
  quirks: Quirks
  subscriptions: SubscriptionRow[]
  payments: PaymentRow[]
  prices: Price[]
  events: EventRow[]
}

/** The newest of everything, or of the customers whose email contains the search. */
export async function readControlData(work: Work, search: string): Promise<ControlData> {
  const like = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  const subscriptions = await work.database.query<SubscriptionRow>(
    `select s.data as subscription, c.data->>'email' as email
      from sandbox.objects s join sandbox.objects c on c.id = s.data->>'customer'
      where s.kind = 'subscription' and coalesce(c.data->>'email', '') ilike $1 order by s.seq desc limit $2`,
    [like, shown],
  )
  const payments = await work.database.query<PaymentRow>(
    `select i.data as invoice, intent.data as intent, charge.data as charge, dispute.data as dispute,
        (select data from sandbox.objects where kind = 'refund' and data @> jsonb_build_object('charge', charge.id)
          and data->>'status' <> 'failed' order by seq desc limit 1) as refund
      from sandbox.objects i
      join sandbox.objects paid on paid.kind = 'invoice_payment' and paid.data @> jsonb_build_object('invoice', i.id)
      join sandbox.objects intent on intent.id = paid.data #>> '{payment,payment_intent}'
      left join sandbox.objects charge on charge.id = intent.data->>'latest_charge'
      left join sandbox.objects dispute
        on dispute.kind = 'dispute' and dispute.data @> jsonb_build_object('charge', charge.id)
      where i.kind = 'invoice' and coalesce(i.data->>'customer_email', '') ilike $1 order by i.seq desc limit $2`,
    [like, shown],
  )
  const events = await work.database.query<EventRow>(
    `select e.id, e.type, e.created, e.data #>> '{data,object,id}' as about, count(d.id)::int as deliveries,
        count(d.delivered_at)::int as delivered, coalesce(sum(d.attempts), 0)::int as attempts,
        max(d.last_answer) as answer, min(d.next_at) filter (where d.delivered_at is null) as next
      from (select * from sandbox.events order by seq desc limit $1) e
      left join sandbox.deliveries d on d.event = e.id
      group by e.seq, e.id, e.type, e.created, e.data #>> '{data,object,id}' order by e.seq desc`,
    [shown],
  )
  return {
    now: work.now,
    search,
    quirks: work.quirks,
    subscriptions: subscriptions.rows,
    payments: payments.rows,
    prices: await work.all('price', {}),
    events: events.rows,
  }
}
