import pg from 'pg'
import type { ExportKind } from '#contract/admin/exports.ts'
import {
  accessStates,
  accessStateTexts,
  bookingKinds,
  bookingKindTexts,
  liveStatuses,
  type NewsletterState,
  purchaseStatuses,
  statusTexts,
} from '#contract/statuses.ts'
import { formulaStart } from '#server/csv.ts'
import { boundsOf } from '#server/database/cursor.ts'
import { failedRefundStatuses, sqlList } from '#server/database/schema/columns.ts'

/** Text cell in SQL, with an apostrophe before each start that a spreadsheet may run as a formula. */
const text = (column: string) => `regexp_replace(${column}, ${pg.escapeLiteral(formulaStart)}, '\\1''', 'g')`
const timestamp = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`
const dollars = (column: string) => `${column} * 0.01`
const isLive = `status in ${sqlList(liveStatuses)}`

function textOf<Value extends string>(column: string, values: readonly Value[], texts: Record<Value, string>): string {
  const cases = values.map((value) => `when '${value}' then '${texts[value]}'`)
  return `case ${column} ${cases.join(' ')} end`
}

const orderKind = `coalesce(${textOf('p.booked_as', bookingKinds, bookingKindTexts)},
  case p.paid_through when 'hand' then 'booked by hand' else 'paid by card' end)`
const orderStatus = textOf('p.status', purchaseStatuses, statusTexts)
const accessState = textOf('a.state', accessStates, accessStateTexts)

export type FileKind = ExportKind | 'payments' | 'bookkeeping' | 'newsletter'
type ExportTable = { columns: Record<string, string>; from: string }

const newsletterState = `case when n.unsubscribed_at is not null then 'left'
  when n.confirmed_at is not null then 'subscribed' else 'asked' end`

/**
 * Access request forms, and usernames from the checkout, the account page or the admin area. A form contains the typed
 * text, such as the address of a profile, so `strpos` looks for the username in it.
 */
const accessRequests = `select id, user_id, purchase_id, null::uuid as product_id, submitted_at, exchange_name,
    trading_view_username, additional_info, 'access request' as way
  from access_forms
  union all
  select a.id, a.user_id, null, a.product_id, coalesce(e.at, a.asked_at, a.state_since), '', a.username, null,
    case when e.by_admin is not null then 'admin area'
      when exists (select from orders o join purchases p on p.payment_intent_id = o.payment_intent_id
        where p.user_id = a.user_id and lower(o.trading_view_username) = lower(a.username)) then 'checkout'
      else 'account' end
  from access a left join lateral (select at, by_admin from access_events
    where user_id = a.user_id and product_id = a.product_id and lower(username) = lower(a.username)
    order by at limit 1) e on true
  where a.username is not null and not exists (select from access_forms f
    where f.user_id = a.user_id and strpos(lower(f.trading_view_username), lower(a.username)) > 0)`

/** First balance transaction of a payment or refund. */
const balanceTransactionOf = (category: string, match: string) =>
  `(select id from balance_transactions where category = '${category}' and ${match} order by created_at limit 1)`

/** Credit note of a refund, matched by amount and nearest time: Stripe names no refund in it. */
const creditNoteOf = (refund: string) =>
  `(select c.number from credit_notes c join payments paid on paid.invoice_id = c.invoice_id
    where paid.payment_intent_id = ${refund}.payment_intent_id and c.status = 'issued' and c.refunded = ${refund}.amount
    order by abs(extract(epoch from c.created_at - ${refund}.at)) limit 1)`

/** Payments, refunds and lost disputes, then transactions that only the balance at Stripe has: failed refunds, fees, payouts. */
const bookkeepingEntries = `
  select 'payment' as kind, p.paid_at as at, coalesce(p.invoice_number, p.invoice_id) as document, p.country, i.region, i.tax_rate,
    p.amount as gross, p.tax, p.payment_intent_id, ${balanceTransactionOf('charge', 'payment_intent_id = p.payment_intent_id')} as balance_transaction_id
  from payments p join invoices i on i.id = p.invoice_id
  union all
  select 'refund', r.at, coalesce(p.invoice_number, p.invoice_id), p.country, i.region, i.tax_rate, -r.amount, -r.tax,
    p.payment_intent_id, ${balanceTransactionOf('refund', 'refund_id = r.id')}
  from refunds r join payments p on p.payment_intent_id = r.payment_intent_id join invoices i on i.id = p.invoice_id
  where r.status not in ${sqlList(failedRefundStatuses)}
  union all
  select 'dispute', p.lost_at, coalesce(p.invoice_number, p.invoice_id), p.country, i.region, i.tax_rate, -p.lost_amount,
    -round(p.tax * p.lost_amount / p.amount::numeric)::int, p.payment_intent_id, ${balanceTransactionOf('dispute', 'payment_intent_id = p.payment_intent_id')}
  from payments p join invoices i on i.id = p.invoice_id where p.lost_at is not null
  union all
  select b.category, b.created_at, coalesce(b.payout_id, b.id), null, null, null, null, null, b.payment_intent_id, b.id
  from balance_transactions b left join payments p on p.payment_intent_id = b.payment_intent_id
  where p.payment_intent_id is null or b.category not in ('charge', 'refund', 'dispute')
    or (b.category = 'refund' and exists (select from refunds r where r.id = b.refund_id and r.status in ${sqlList(failedRefundStatuses)}))
    or (b.category = 'dispute' and p.lost_at is null)`

/** None contains exchange keys. */
const tables: Record<FileKind, ExportTable> = {
  buyers: {
    columns: {
      Email: text('u.email'),
      Name: text('u.name'),
      'TradingView username': text('u.trading_view_username'),
      'Registered (UTC)': timestamp('u.created_at'),
      'Active purchases': 'p.active',
      Purchases: 'p.total',
      'Latest purchase (UTC)': timestamp('p.latest'),
    },
    from: `users u join (
      select user_id, count(*) as total, count(*) filter (where ${isLive}) as active, max(created_at) as latest
      from purchases group by user_id) p on p.user_id = u.id order by u.created_at, u.id`,
  },
  orders: {
    columns: {
      Id: 'p.id',
      'Date (UTC)': timestamp('p.created_at'),
      Email: text('u.email'),
      Name: text('u.name'),
      Product: text('product.name'),
      Billing: 'p.billing_type',
      'Amount (USD)': dollars('p.price'),
      'Refunded (USD)': dollars('p.refunded_amount'),
      Status: orderStatus,
      'Ended (UTC)': timestamp('p.ended_at'),
      Kind: orderKind,
      Country: text("coalesce(nullif(b.country, ''), o.country, o.card_country)"),
      'Paid (USD)': dollars('paid.amount'),
      'Tax (USD)': dollars('paid.tax'),
      'Stripe invoice (latest)': 'paid.invoice_id',
      'Stripe payment (first)': 'p.payment_intent_id',
      'Stripe subscription': 'p.stripe_subscription_id',
      'Stripe customer': 'o.customer_id',
    },
    // Lateral joins by index: the file starts immediately, and a closed connection stops it.
    from: `purchases p join users u on u.id = p.user_id join products product on product.id = p.product_id
      left join orders o on o.subscription_id = p.stripe_subscription_id and o.kind = 'new'
      left join billing_details b on b.user_id = p.user_id
      left join lateral (
        select sum(amount) as amount, sum(tax) as tax, (array_agg(invoice_id order by paid_at desc))[1] as invoice_id
        from payments where purchase_id = p.id) paid on true
      order by p.created_at, p.id`,
  },
  payments: {
    columns: {
      'Date (UTC)': timestamp('e.at'),
      Kind: 'e.kind',
      Email: text('u.email'),
      Name: text('u.name'),
      'Amount (USD)': dollars('e.amount'),
      'Tax (USD)': dollars('e.tax'),
      'Net (USD)': dollars('(e.amount - e.tax)'),
      Product: text('product.name'),
      'Former Stripe account': 'i.former_account',
      Country: text('p.country'),
      'Period from (UTC)': timestamp('p.period_start'),
      'Period to (UTC)': timestamp('p.period_end'),
      'VAT ID': text('billing.vat_id'),
      Invoice: text('p.invoice_number'),
      'Credit note': text('e.credit_note'),
      Fee: dollars('b.fee'),
      'Fee currency': 'upper(b.currency)',
      'Stripe invoice': 'p.invoice_id',
      'Stripe payment': 'p.payment_intent_id',
      Status: text('e.status'),
    },
    from: `(
        select 'payment' as kind, payment_intent_id, paid_at as at, amount, tax, 'paid' as status,
          null as credit_note, ${balanceTransactionOf('charge', 'payment_intent_id = payments.payment_intent_id')} as balance_transaction_id from payments
        union all
        select 'refund', r.payment_intent_id, r.at, -r.amount, -r.tax, r.status, ${creditNoteOf('r')},
          ${balanceTransactionOf('refund', 'refund_id = r.id')} from refunds r
        union all
        select 'dispute', payment_intent_id, lost_at, -lost_amount, -round(tax * lost_amount / amount::numeric), 'lost',
          null, ${balanceTransactionOf('dispute', 'payment_intent_id = payments.payment_intent_id')}
          from payments where lost_at is not null
      ) e join payments p on p.payment_intent_id = e.payment_intent_id
      left join balance_transactions b on b.id = e.balance_transaction_id
      join invoices i on i.id = p.invoice_id join users u on u.id = i.user_id
      left join billing_details billing on billing.user_id = i.user_id
      left join purchases bought on bought.id = i.purchase_id
      left join products product on product.id = bought.product_id order by e.at, e.payment_intent_id`,
  },
  bookkeeping: {
    columns: {
      'Date (UTC)': timestamp('e.at'),
      Kind: text('e.kind'),
      Document: text('e.document'),
      Country: text('e.country'),
      Region: text('e.region'),
      'Tax rate (%)': 'e.tax_rate',
      'Net (USD)': dollars('(e.gross - e.tax)'),
      'Tax (USD)': dollars('e.tax'),
      'Gross (USD)': dollars('e.gross'),
      Currency: 'upper(b.currency)',
      'Exchange rate': 'b.exchange_rate',
      Amount: dollars('b.amount'),
      Fee: dollars('b.fee'),
      'Net amount': dollars('b.net'),
      Payout: 'b.payout_id',
      'Paid out on (UTC)': timestamp('o.arrives_at'),
      'Stripe payment': 'e.payment_intent_id',
      'Stripe line': 'b.id',
    },
    from: `(${bookkeepingEntries}) e left join balance_transactions b on b.id = e.balance_transaction_id
      left join payouts o on o.id = b.payout_id order by e.at, e.document, e.balance_transaction_id`,
  },
  forms: {
    columns: {
      'Submitted (UTC)': timestamp('r.submitted_at'),
      Email: text('u.email'),
      Name: text('u.name'),
      Exchange: text('r.exchange_name'),
      'TradingView username': text('r.trading_view_username'),
      'Additional information': text('r.additional_info'),
      'Given in': 'r.way',
      Status: accessState,
      Reason: text('a.declined_because'),
      'Decided (UTC)': timestamp('a.state_since'),
      Product: text('product.name'),
    },
    // A form of a deleted purchase shows the access decided last.
    from: `(${accessRequests}) r join users u on u.id = r.user_id left join purchases p on p.id = r.purchase_id
      left join lateral (select * from access where user_id = r.user_id
        and product_id = coalesce(p.product_id, r.product_id, product_id) order by state_since desc limit 1) a on true
      left join products product on product.id = coalesce(p.product_id, a.product_id)
      order by r.submitted_at, r.id`,
  },
  newsletter: {
    columns: {
      Email: text('n.email'),
      State: newsletterState,
      'Signed up (UTC)': timestamp('n.created_at'),
      'Confirmed (UTC)': timestamp('n.confirmed_at'),
      'Unsubscribed (UTC)': timestamp('n.unsubscribed_at'),
    },
    from: 'newsletter_subscriptions n order by n.created_at, n.id',
  },
}

/** `state` is for newsletter addresses; `period` is a month or a year. */
export type ExportFilter = { state?: NewsletterState | undefined; period?: string | undefined }

function conditionOf({ state, period }: ExportFilter) {
  if (state) return `${newsletterState} = ${pg.escapeLiteral(state)}`
  if (!period) return null
  const [from, until] = boundsOf(period).map((at) => pg.escapeLiteral(at.toISOString()))
  return `e.at >= ${from} and e.at < ${until}`
}

export function copyStatement(kind: FileKind, filter: ExportFilter = {}) {
  const { columns, from: allRows } = tables[kind]
  const condition = conditionOf(filter)
  // The condition goes before the last `order by`, because subqueries have their own.
  const from = condition ? allRows.replace(/ order by(?!.* order by)/s, ` where ${condition} order by`) : allRows
  const titledColumns = Object.entries(columns).map(([title, value]) => `${value} as ${pg.escapeIdentifier(title)}`)
  return `copy (select ${titledColumns.join(', ')} from ${from}) to stdout with (format csv, header)`
}
