import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { midnightAfter } from '#sandbox/objects/balance.ts'
import { withClient } from '../command.ts'

/** `text` is JSON, in which ids, times and names are replaced for each copy. */
type ModelPurchase = { purchase: Purchase; text: string }
type StoredObject = { id: string; kind: string; due_at: number | null; data: Record<string, unknown> }
type CopiedRows = {
  objects: StoredObject[]
  order: { customer_id: string; subscription_id: string; payment_intent_id: string }
  /** Times in seconds, like Stripe's. */
  payments: { payment_intent_id: string; paid_at: number; period_start: number; period_end: number }[]
}

const dateColumns = [
  'last_paid_at',
  'first_paid_at',
  'ordered_at',
  'paid_from',
  'paid_until',
  'current_period_end',
  'ends_at',
  'past_due_since',
  'ended_at',
] as const
const otherColumns = [
  'last_paid_amount',
  'next_amount',
  'due_amount',
  'dunning_step',
  'card',
  'card_expires_at',
] as const
type OtherValues = Record<(typeof otherColumns)[number], number | string | Date | null>
type Dates = Record<(typeof dateColumns)[number], Date | null>
type Purchase = Dates &
  OtherValues & {
    id: string
    user_id: string
    email: string
    name: string
    status: string
    billing_type: string
    price: number
    created_at: Date
    leave_reason: string | null
  }

/** The newest purchases, which a seller opens first. */
const maxCopies = 1000
const batchSize = 100
/** Ids at Stripe, except prices, products and tax rates, which copies share with their model. */
const idPattern = /(?<![A-Za-z0-9_])(?!price_|prod_|txr_)([a-z]+_)[A-Za-z0-9]{24}(?![A-Za-z0-9])/g
/** Prefix of a customer's invoice numbers, alone or before a number such as `A1B2C3D4-0001`. */
const invoicePrefixPattern = /(?<="invoice_prefix":")\w+(?=")|(?<="(?:invoice_)?number":")\w+(?=-)/g
/** Times in seconds, from 2020 to 2033. */
const timePattern = /\b1[6-9]\d{8}\b/g

/**
 * Invented purchases renew and can be refunded, because each is copied from a real one in the same state, with new ids,
 * dates and buyer. Purchases of `excludedEmails` are no models.
 */
export const copyPayments = (url: string, excludedEmails: string[]): Promise<number> =>
  withClient(url, async (client) => {
    const models = await readModels(client, excludedEmails)
    const { rows } = await client.query<Purchase>(
      `select p.*, email, name from purchases p join users u on u.id = user_id
       where stripe_subscription_id is null and booked_as is null order by p.created_at desc limit $1`,
      [maxCopies],
    )
    const copies = rows.flatMap((purchase) => {
      const model = models.get(modelKey(purchase))
      return model ? [{ purchase, ...copyModel(model, purchase) }] : []
    })
    await client.query('begin')
    for (let start = 0; start < copies.length; start += batchSize)
      await storeCopies(client, copies.slice(start, start + batchSize))
    await client.query('commit')
    // PostgreSQL would update its statistics only minutes later, and read whole tables until then.
    await client.query('analyze')
    return copies.length
  })

const modelKey = ({ billing_type, status, price }: Purchase) => `${billing_type} ${status} ${price}`

/** Models are real purchases, one for each plan, status and price. */
async function readModels(client: pg.Client, excludedEmails: string[]): Promise<Map<string, ModelPurchase>> {
  const { rows } = await client.query<Purchase & Pick<CopiedRows, 'order' | 'payments'>>(
    `select p.*, u.email, u.name, to_json(o) as "order", (
       select json_agg(to_jsonb(m) || jsonb_build_object('paid_at', extract(epoch from paid_at)::bigint,
         'period_start', extract(epoch from period_start)::bigint, 'period_end', extract(epoch from period_end)::bigint))
       from payments m where purchase_id = p.id) as payments
     from purchases p join users u on u.id = p.user_id join orders o on o.subscription_id = p.stripe_subscription_id and o.kind = 'new'
     where p.refunded_amount = 0 and u.email <> all($1)`,
    [excludedEmails],
  )
  const { rows: objects } = await client.query<StoredObject>(
    'select id, kind, due_at, data from sandbox.objects order by seq',
  )
  const models = new Map<string, ModelPurchase>()
  for (const { order, payments, ...purchase } of rows) {
    const text = JSON.stringify({ objects: relatedObjects(order.customer_id, objects), order, payments })
    models.set(modelKey(purchase), { purchase, text })
  }
  return models
}

/** Objects that name the customer, directly or through others. */
function relatedObjects(customer: string, objects: StoredObject[]): StoredObject[] {
  const relatedIds = new Set([customer])
  const mentions = objects.map(({ id, data }) => ({ id, ids: JSON.stringify(data).match(idPattern) ?? [] }))
  let countBefore: number
  do {
    countBefore = relatedIds.size
    for (const { id, ids } of mentions) if (ids.some((mentionedId) => relatedIds.has(mentionedId))) relatedIds.add(id)
  } while (relatedIds.size > countBefore)
  return objects.filter(({ id }) => relatedIds.has(id))
}

function copyModel(
  { purchase: model, text: content }: ModelPurchase,
  purchase: Purchase,
): CopiedRows & { dates: Dates; otherValues: OtherValues } {
  const anchorColumns = { past_due: 'past_due_since', cancelled: 'ended_at' } as const
  // Copies are moved in time so that this date fits; the other dates keep their distance from it.
  const anchor = anchorColumns[purchase.status as keyof typeof anchorColumns] ?? 'current_period_end'
  const seconds = Math.round((Number(purchase[anchor]) - Number(model[anchor])) / 1000)
  const moveDate = (date: Date | null) => date && new Date(date.getTime() + seconds * 1000)
  const newIds = new Map<string, string>()
  const replaceId = (id: string, prefix: string) => {
    const newId = newIds.get(id) ?? prefix + randomBytes(12).toString('hex')
    newIds.set(id, newId)
    return newId
  }
  const newPrefix = randomBytes(4).toString('hex').toUpperCase()
  const escapeForJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const text = content
    .replaceAll(idPattern, replaceId)
    .replaceAll(timePattern, (time) => String(Number(time) + seconds))
    .replaceAll(escapeForJson(model.email), escapeForJson(purchase.email))
    .replaceAll(escapeForJson(model.name), escapeForJson(purchase.name))
    .replaceAll(invoicePrefixPattern, newPrefix)
  const copied = JSON.parse(text) as CopiedRows
  for (const object of copied.objects) {
    const { kind, data } = object
    if (kind === 'subscription' && purchase.leave_reason)
      data.cancellation_details = { ...(data.cancellation_details as object), feedback: purchase.leave_reason }
    // The sandbox pays it out when it is due.
    if (kind === 'balance_transaction') {
      object.due_at = midnightAfter(Number(data.available_on))
      data.$sandbox = { payout: null, due_at: object.due_at }
    }
  }
  return {
    ...copied,
    otherValues: Object.fromEntries(otherColumns.map((name) => [name, model[name]])) as OtherValues,
    dates: Object.fromEntries(dateColumns.map((name) => [name, moveDate(model[name])])) as Dates,
  }
}

/** A copy replaces the invented payment and invoice of the same period. */
async function storeCopies(client: pg.Client, copies: (ReturnType<typeof copyModel> & { purchase: Purchase })[]) {
  await client.query(
    `insert into sandbox.objects (id, kind, due_at, data)
     select id, kind, due_at, data from jsonb_to_recordset($1) as o (id text, kind text, due_at float, data jsonb)`,
    [JSON.stringify(copies.flatMap(({ objects }) => objects))],
  )
  // Each row has the columns of an order and those of its purchase, under the purchase's id.
  const rows = copies.map(({ purchase, order, dates, otherValues }) => ({
    ...order,
    ...dates,
    ...otherValues,
    id: purchase.id,
    user_id: purchase.user_id,
    email: purchase.email,
    created_at: purchase.created_at,
    nonce_hash: randomBytes(32).toString('hex'),
    stripe_subscription_id: order.subscription_id,
  }))
  const parameters = [JSON.stringify(rows)]
  await client.query('insert into orders select * from jsonb_populate_recordset(null::orders, $1)', parameters)
  const columns = ['stripe_subscription_id', 'payment_intent_id', ...otherColumns, ...dateColumns]
  await client.query(
    `update purchases set ${columns.map((name) => `${name} = c.${name}`).join(', ')}
     from jsonb_populate_recordset(null::purchases, $1) c where c.id = purchases.id`,
    parameters,
  )
  const ids = copies.map(({ purchase }) => purchase.id)
  // The trigger that protects payments allows deletions only with this setting.
  await client.query(`set local shop.clears_test_data = 'on'`)
  await client.query(
    `delete from payments p using (select purchase_id, max(paid_at) as newest from payments
       where purchase_id = any($1) group by 1) n where p.purchase_id = n.purchase_id and p.paid_at = n.newest`,
    [ids],
  )
  await client.query(
    `delete from invoices i where purchase_id = any($1) and not exists (select from payments where invoice_id = i.id)`,
    [ids],
  )
  await client.query(
    `insert into invoices (id, purchase_id, user_id, subscription_id, number, status, reason, collection, created_at,
       finalized_at, paid_at, total, tax, amount_paid, amount_remaining, paid_out_of_band, period_start, period_end,
       is_proration, credit, period_net, country, tax_rate)
     select o.id, p.id, p.user_id, p.stripe_subscription_id, data->>'number', data->>'status', data->>'billing_reason',
       data->>'collection_method', to_timestamp((data->>'created')::float),
       to_timestamp((data->'status_transitions'->>'finalized_at')::float),
       to_timestamp((data->'status_transitions'->>'paid_at')::float), (data->>'total')::int, tax,
       (data->>'amount_paid')::int, (data->>'amount_remaining')::int, 0,
       to_timestamp((data->'lines'->'data'->0->'period'->>'start')::float),
       to_timestamp((data->'lines'->'data'->0->'period'->>'end')::float), false, 0, (data->>'total')::int - tax,
       data->'customer_address'->>'country', (select (r.data->>'percentage')::float from sandbox.objects r
         where r.id = o.data->'total_taxes'->0->'tax_rate_details'->>'tax_rate')
     from sandbox.objects o
     cross join lateral (select coalesce((o.data->'total_taxes'->0->>'amount')::int, 0) as tax) t
     join purchases p on p.stripe_subscription_id = o.data->'parent'->'subscription_details'->>'subscription'
     where o.kind = 'invoice' and p.id = any($1)`,
    [ids],
  )
  const copiedPayments = copies.flatMap(({ purchase, payments }) =>
    payments.map((payment) => ({ ...payment, purchase_id: purchase.id })),
  )
  await client.query(
    `insert into payments (payment_intent_id, purchase_id, invoice_id, invoice_number, paid_at, amount, tax, period_start, period_end, country)
     select payment_intent_id, purchase_id, invoice_id, invoice_number, to_timestamp(paid_at), amount, tax, to_timestamp(period_start), to_timestamp(period_end), country
     from jsonb_to_recordset($1) as m (payment_intent_id text, purchase_id uuid, invoice_id text, invoice_number text,
       paid_at float, amount int, tax int, period_start float, period_end float, country text)`,
    [JSON.stringify(copiedPayments)],
  )
  await replaceMovements(client, ids)
}

/** Stripe knows only the last period of a past-due copy, so its movements must begin with that period. */
async function replaceMovements(client: pg.Client, ids: string[]) {
  await client.query(
    `delete from mrr_movements m using purchases p where p.id = m.purchase_id and p.status = 'past_due' and p.id = any($1)`,
    [ids],
  )
  await client.query(
    `insert into mrr_movements (purchase_id, user_id, product_id, at, recorded_at, source, revision, kind, cause,
       billing_type, arr_before, arr_after, people)
     select p.id, p.user_id, p.product_id, i.paid_at, i.paid_at, i.id, 0,
       case when exists (select from mrr_movements m where m.user_id = p.user_id) then 'reactivation' else 'new' end,
       'bought', p.billing_type, 0, p.arr, 1
     from purchases p join invoices i on i.subscription_id = p.stripe_subscription_id and i.status = 'paid'
     where p.status = 'past_due' and p.id = any($1)`,
    [ids],
  )
}
