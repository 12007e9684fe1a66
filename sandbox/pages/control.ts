import { isDeepStrictEqual } from 'node:util'
import type { Controls } from '../controls.ts'
import { invalid } from '../failure.ts'
import { defaultQuirks, type Fault, type Quirks } from '../quirks.ts'
import type { Work } from '../work.ts'
import { button, date, html, moment, money, page, select, table } from './html.ts'

type ButtonAction = (controls: Controls, id: string) => Promise<unknown>

const failNext =
  (fault: Fault): ButtonAction =>
  (controls) =>
    controls.failNext(fault)

/** `sandbox` are the page's own buttons. An action that does not fit an object's state is refused. */
const actions: Record<string, Record<string, ButtonAction>> = {
  sandbox: {
    'Advance 1 day': (controls) => controls.advance(1, 'day'),
    'Advance 1 month': (controls) => controls.advance(1, 'month'),
    'Advance 1 year': (controls) => controls.advance(1, 'year'),
    'Finish payments': (controls) => controls.settle(),
    'Behave as usual': (controls) => controls.behaveAsUsual(),
    'Next request: 500': failNext({ status: 500 }),
    'Next request: 500, but done': failNext({ status: 500, done: true }),
    'Next request: 400, without a code': failNext({ status: 400 }),
    'Next request: 429': failNext({ status: 429 }),
    'Next request: 429, try again': failNext({ status: 429, shouldRetry: true }),
  },
  subscription: {
    'Fail next renewal': (controls, id) => controls.failNextRenewal(id),
    'Cancel in portal': (controls, id) => controls.cancelInPortal(id),
    Pause: (controls, id) => controls.pause(id),
  },
  payment_intent: {
    Refund: (controls, id) => controls.refund(id),
    Dispute: (controls, id) => controls.openDispute(id),
    'Warn of fraud': (controls, id) => controls.warnOfFraud(id),
  },
  refund: { 'Fail refund': (controls, id) => controls.failRefund(id) },
  dispute: {
    Win: (controls, id) => controls.closeDispute(id, 'won'),
    Lose: (controls, id) => controls.closeDispute(id, 'lost'),
  },
  price: { Archive: (controls, id) => controls.archivePrice(id) },
  event: { 'Send again': (controls, id) => controls.webhooks.redeliver(id) },
}

const switches: Record<string, Record<string, Partial<Quirks>>> = {
  'A payment’s subscription follows': {
    immediately: { lag: { from: 0, to: 0 } },
    'within 2 seconds': { lag: defaultQuirks.lag },
    'within a minute': { lag: { from: 10, to: 60 } },
  },
  'Events sent twice': { none: { duplicates: 0 }, '1 in 10': { duplicates: 0.1 }, all: { duplicates: 1 } },
  Order: {
    kept: { spread: 0 },
    'shuffled within half a second': { spread: 0.5 },
    'shuffled within 10 seconds': { spread: 10 },
  },
  Delay: { none: { delaySeconds: 0 }, '1 minute': { delaySeconds: 60 }, '10 minutes': { delaySeconds: 600 } },
  'Events are': { sent: { drop: false }, lost: { drop: true } },
  'Writes take': { 'a moment': { writeSeconds: 0 }, '8 seconds': { writeSeconds: 8 } },
  'Requests that fail': { none: { failing: 0 }, '1 in 10': { failing: 0.1 }, half: { failing: 0.5 } },
  'The secret key': {
    works: { key: 'works' },
    'was rolled': { key: 'expired' },
    'may not refund': { key: { without: ['rak_charge_write'] } },
  },
  'A renewal that failed to the last': {
    'ends the subscription': { afterRetries: 'cancel' },
    'leaves it unpaid': { afterRetries: 'unpaid' },
    'leaves it past due': { afterRetries: 'past_due' },
  },
  "The seller's bank account": { 'in dollars': { settlesIn: 'usd' }, 'in francs': { settlesIn: 'chf' } },
  'A renewal’s invoice': {
    'is charged at once': { draftSeconds: 0 },
    'is a draft for an hour': { draftSeconds: 3600 },
  },
  'A day within a period': { 'ends the period': { shortens: true }, 'leaves it': { shortens: false } },
}

/** `behave` is the form of switches. */
export function actionOf(kind: string) {
  if (kind === 'behave') return applySwitches
  const buttons = new Map(Object.entries(actions[kind] ?? {}))
  if (buttons.size === 0) return undefined
  return async (controls: Controls, form: URLSearchParams) => {
    const run = buttons.get(form.get('action') ?? '')
    if (!run) throw invalid('There is no such button.')
    await run(controls, form.get('id') ?? '')
  }
}

function applySwitches(controls: Controls, form: URLSearchParams) {
  const chosenQuirks = [...form].map(([name, choice]) => {
    const quirks = new Map(Object.entries(switches[name] ?? {})).get(choice)
    if (!quirks) throw invalid(`Invalid ${name}: ${choice}`)
    return quirks
  })
  return controls.behave(Object.assign({}, ...chosenQuirks))
}

const currentChoice = (choices: Record<string, Partial<Quirks>>, quirks: Quirks) =>
  Object.keys(choices).find((choice) => isDeepStrictEqual({ ...quirks, ...choices[choice] }, quirks))

type ListedObject = {
  id: string
  kind: string
  about: string
  status: string
  amount: number
  currency: string
  created: number
  ends: number | null
  url: string | null
}
type EventRow = { id: string; type: string; about: string; created: string; delivery: string }

const buttonsOf = (kind: string, id: string, about: string) =>
  html`<div class="Actions">${Object.keys(actions[kind] ?? {}).map((action) =>
    button(`controls/${kind}`, action, { action, id }, about),
  )}</div>`

const timeOf = (seconds: number) => moment(new Date(seconds * 1000))

async function objectList({ database }: Work, search: string) {
  const { rows } = await database.query<ListedObject>(
    `select * from (
      select o.id, o.kind, o.seq, coalesce(o.data->>'number', o.data->>'lookup_key', o.id) || coalesce(', ' || (c.data->>'email'), '') as about,
        coalesce(o.data->>'status', case when (o.data->>'active')::boolean then 'active' else 'archived' end) as status,
        coalesce(o.data->>'total', o.data->>'amount', o.data->>'unit_amount',
          o.data #>> '{items,data,0,price,unit_amount}')::int as amount,
        o.data->>'currency' as currency, (o.data->>'created')::int as created,
        coalesce(o.data->>'ended_at', o.data->>'cancel_at', o.data #>> '{items,data,0,current_period_end}')::int as ends,
        o.data->>'hosted_invoice_url' as url
      from sandbox.objects o left join sandbox.objects c
        on c.id = coalesce(o.data->>'customer', o.data #>> '{$sandbox,customer}')
      where o.kind in ('subscription', 'invoice', 'payment_intent', 'refund', 'dispute', 'price')) found
    where position(lower($1) in lower(about)) > 0 order by seq desc limit 100`,
    [search],
  )
  return table(
    'Objects',
    ['Kind', 'Object', 'Amount', 'Status', 'Time', 'Actions'],
    rows.map(({ id, kind, about, status, amount, currency, created, ends, url }) => [
      kind,
      url ? html`<a href="${url}">${about}</a>` : about,
      money(amount, currency),
      ends ? `${status} · ${date(ends)}` : status,
      timeOf(created),
      buttonsOf(kind, id, about),
    ]),
  )
}

async function webhookLog({ database }: Work) {
  const { rows } = await database.query<EventRow>(
    `select e.id, e.type, e.created, e.data #>> '{data,object,id}' as about,
        coalesce(string_agg(case when delivered_at is not null then 'delivered' when next_at is null then 'given up'
          else 'waiting' end || coalesce(': ' || last_answer, ''), '; '), 'dropped') as delivery
      from (select * from sandbox.events order by seq desc limit 100) e left join sandbox.deliveries d on d.event = e.id
      group by e.seq, e.id, e.type, e.created, e.data #>> '{data,object,id}' order by e.seq desc`,
  )
  return table(
    'Webhook log',
    ['Event', 'About', 'Time', 'Delivery', 'Actions'],
    rows.map(({ id, type, about, created, delivery }) => [
      type,
      about,
      timeOf(Number(created)),
      delivery,
      buttonsOf('event', id, type),
    ]),
  )
}

export async function controlPage(work: Work, query: URLSearchParams): Promise<string> {
  const search = query.get('q') ?? ''
  const body = html`<main>
    <h1>Payment sandbox</h1>
    <p>Takes Stripe’s place while no key is set. Nothing here moves real money.</p>
    ${query.has('done') && html`<p role="status">Done.</p>`}
    <p>In the sandbox it is <strong>${timeOf(work.now)} UTC</strong>. Moving on runs every renewal, retry and expiry on the way.</p>
    ${buttonsOf('sandbox', '', '')}
    <h2>As untidy as Stripe</h2>
    <form method="post" action="/_sandbox/controls/behave" class="Actions">
      ${Object.entries(switches).map(([name, choices]) => select(name, currentChoice(choices, work.quirks), Object.keys(choices)))}
      <button>Apply</button>
    </form>
    <form method="get" action="/_sandbox/" role="search" class="Actions">
      <label>Customer’s email <input type="search" name="q" value="${search}"></label>
      <button>Search</button>
    </form>
    ${await objectList(work, search)}
    ${await webhookLog(work)}
    <p>Each list shows the newest 100.</p>
  </main>`
  return page({ title: 'Payment sandbox', body })
}
