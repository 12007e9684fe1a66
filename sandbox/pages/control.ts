import type { Controls } from '../controls.ts'
import { invalid } from '../failure.ts'
import type { Price } from '../objects/catalog.ts'
import type { Invoice } from '../objects/invoice.ts'
import type { Charge, Dispute, PaymentIntent, Refund } from '../objects/payment.ts'
import type { Subscription } from '../objects/subscription.ts'
import type { Fault, Quirks } from '../quirks.ts'
import type { Work } from '../work.ts'

/** The value of a form's field, and one that must be one of these. */
type Given = (name: string) => string
type Pick = <T extends string>(name: string, ...choices: T[]) => T
type Run = (controls: Controls, given: Given, pick: Pick) => Promise<unknown>

const lags = { none: { from: 0, to: 0 }, short: { from: 0.2, to: 2 }, long: { from: 10, to: 60 } }

/** The buttons of the control page, by the last part of their address: what the page says when it is done, and what it does. */
const actions: Record<string, [says: string, run: Run]> = {
  advance: [
    'The clock was moved on.',
    (controls, _, pick) => controls.advance(1, pick('interval', 'day', 'month', 'year')),
  ],
  settle: ['All payments are finished.', (controls) => controls.settle()],
  'fail-next-renewal': [
    'The next renewal will fail.',
    (controls, given) => controls.failNextRenewal(given('subscription')),
  ],
  'cancel-in-portal': [
    'The subscription will end with its period.',
    (controls, given) => controls.cancelInPortal(given('subscription')),
  ],
  pause: ['The subscription is paused.', (controls, given) => controls.pause(given('subscription'))],
  refund: ['The payment was refunded.', (controls, given) => controls.refund(given('payment_intent'))],
  'fail-refund': ['The bank returned the refund.', (controls, given) => controls.failRefund(given('refund'))],
  'open-dispute': [
    'The payment is disputed.',
    (controls, given) => controls.openDispute(given('payment_intent')),
  ],
  'warn-of-fraud': [
    'The bank warned of fraud.',
    (controls, given) => controls.warnOfFraud(given('payment_intent')),
  ],
  'close-dispute': [
    'The dispute is closed.',
    (controls, given, pick) => controls.closeDispute(given('dispute'), pick('outcome', 'won', 'lost')),
  ],
  'archive-price': [
    'The price is archived and keeps its lookup key.',
    (controls, given) => controls.archivePrice(given('price')),
  ],
  redeliver: ['The event was sent again.', (controls, given) => controls.webhooks.redeliver(given('event'))],
  webhooks: [
    'Webhooks will behave this way from now on.',
    (controls, given, pick) =>
      controls.behave({
        delaySeconds: Number(pick('delay', '0', '10', '60', '600')),
        drop: given('drop') !== '',
        duplicates: Number(pick('duplicates', '0', '0.1', '1')),
        spread: Number(pick('spread', '0', '0.5', '10')),
      }),
  ],
  behave: [
    'The sandbox will behave this way from now on.',
    async (controls, given, pick) => {
      const quirks = {
        afterRetries: pick('after', 'cancel', 'unpaid', 'past_due'),
        failing: Number(pick('failing', '0', '0.1', '0.5')),
        lag: lags[pick('lag', 'none', 'short', 'long')],
        retries: pick('retries', 'smart', 'custom', 'none'),
        shortens: given('shortens') !== '',
      }
      const key = pick('key', 'works', 'expired', 'restricted', 'other_mode')
      await controls.changeKey(key, ['rak_charge_write'])
      await controls.behave(quirks)
    },
  ],
  'fail-next': [
    'The next request will fail.',
    (controls, given, pick) =>
      controls.failNext({
        status: Number(pick('status', '400', '429', '500')) as Fault['status'],
        ...(given('done') && { done: true }),
        ...(given('retry') && { shouldRetry: true }),
      }),
  ],
  'behave-as-usual': ['The sandbox behaves as usual again.', (controls) => controls.behaveAsUsual()],
}

const actionNamed = (name: string) => (Object.hasOwn(actions, name) ? actions[name] : undefined)

export const doneText = (name: string) => actionNamed(name)?.[0]

/** Undefined when there is no such button. */
export function actionOf(name: string) {
  const run = actionNamed(name)?.[1]
  return (
    run &&
    ((controls: Controls, body: string) => {
      const form = new URLSearchParams(body)
      const pick: Pick = (field, ...choices) => {
        const chosen = choices.find((choice) => choice === form.get(field))
        if (chosen === undefined)
          throw invalid(`Invalid ${field}: must be one of ${choices.join(', ')}`, field)
        return chosen
      }
      return run(controls, (field) => form.get(field) ?? '', pick)
    })
  )
}

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
