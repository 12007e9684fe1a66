import { Readable } from 'node:stream'
import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type {
  AdminPayout,
  AdminPayoutLine,
  BookedMonth,
  bookkeeping as contract,
  TaxLine,
} from '#contract/selling/bookkeeping.ts'
import { boundsOf, decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
import { balanceReads, balanceTransactions, invoices, payments, payouts, refunds } from '#server/database/schema.ts'
import { createReadBalance, type ReadBalanceDeps } from './read-balance.ts'
import { csvOfTaxes } from './taxes-csv.ts'

type PageInput = ParsedInputOf<typeof contract.adminPayouts>
type CsvFile = { name: string; stream: Readable }

export type Bookkeeping = {
  readBalance(): Promise<void>
  payouts(page: PageInput): Promise<Page<WithDates<AdminPayout>>>
  linesOf(payoutId: string, page: PageInput): Promise<Page<WithDates<AdminPayoutLine>>>
  /** `readAt` is the last successful copy of Stripe's balance; `fault` is why the latest one failed. */
  months(): Promise<{ months: BookedMonth[]; readAt: Date | null; fault: string | null }>
  taxes(period: string): Promise<TaxLine[]>
  taxesCsv(period: string, euroRate: number | undefined): Promise<CsvFile>
}

type WithDates<Output> = { [Key in keyof Output]: Key extends 'at' | 'arrivesAt' ? Date : Output[Key] }

const shownMonths = 24
const stripeIdPattern = String.raw`[a-z]+_\w{1,100}`
/** The payout itself is also a transaction of the balance. */
const isPayoutLine = ne(balanceTransactions.category, 'payout')

export function createBookkeeping(deps: ReadBalanceDeps): Bookkeeping {
  const { db, now } = deps

  async function taxes(period: string): Promise<TaxLine[]> {
    const [from, until] = boundsOfTaxPeriod(period)
    const { rows } = await db.execute<TaxLine>(sql`
      select kind, e.country, region, tax_rate as rate, "originalMonth", count(*)::int as count,
        sum(gross - tax)::float8 as net, sum(tax)::float8 as tax, sum(gross)::float8 as gross
      from (${taxedEntries}) e where e.at >= ${from} and e.at < ${until}
      group by 1, 2, 3, 4, 5 order by kind desc, e.country nulls last, region nulls first, rate nulls last, "originalMonth"`)
    return rows
  }

  return {
    readBalance: createReadBalance(deps),

    async payouts({ limit, cursor }) {
      const cursorPosition = decodeCursor(cursor, stripeIdPattern)
      const lines = db
        .select({
          count: sql<number>`count(*)::int`.as('line_count'),
          net: sql<number>`coalesce(sum(${balanceTransactions.net}), 0)::float8`.as('line_net'),
        })
        .from(balanceTransactions)
        .where(and(eq(balanceTransactions.payoutId, payouts.id), isPayoutLine))
        .as('lines')
      const { id, amount, currency, status, arrivesAt, failure, isItemized } = payouts
      const rows = await db
        .select({ id, amount, currency, status, arrivesAt, failure, isItemized, count: lines.count, net: lines.net })
        .from(payouts)
        .leftJoinLateral(lines, sql`true`)
        .where(cursorPosition && sql`(${arrivesAt}, ${id}) < (${cursorPosition.at}, ${cursorPosition.id})`)
        .orderBy(desc(arrivesAt), desc(id))
        .limit(limit + 1)
      const page = pageOf(rows, limit, (payout) => ({ at: payout.arrivesAt, id: payout.id }))
      const items = page.items.map(({ isItemized: hasLines, count, net, ...payout }) => {
        if (!hasLines) return { ...payout, lines: null, difference: 0 }
        return { ...payout, lines: count ?? 0, difference: payout.amount - (net ?? 0) }
      })
      return { ...page, items }
    },

    async linesOf(payoutId, { limit, cursor }) {
      const cursorPosition = decodeCursor(cursor, stripeIdPattern)
      const { id, createdAt: at, category, description, exchangeRate, amount, fee, net, currency } = balanceTransactions
      const rows = await db
        .select({
          id,
          at,
          category,
          invoiceNumber: payments.invoiceNumber,
          description,
          exchangeRate,
          settled: { amount, fee, net, currency },
        })
        .from(balanceTransactions)
        .leftJoin(payments, eq(payments.paymentIntentId, balanceTransactions.paymentIntentId))
        .where(
          and(
            eq(balanceTransactions.payoutId, payoutId),
            isPayoutLine,
            cursorPosition && sql`(${at}, ${id}) < (${cursorPosition.at}, ${cursorPosition.id})`,
          ),
        )
        .orderBy(desc(at), desc(id))
        .limit(limit + 1)
      return pageOf(rows, limit, (line) => ({ at: line.at, id: line.id }))
    },

    async months() {
      const since = new Date(Date.UTC(now().getUTCFullYear(), now().getUTCMonth() - shownMonths + 1))
      const [{ rows }, [lastRead]] = await Promise.all([
        db.execute<MonthRow>(selectMonthsSince(since)),
        db.select().from(balanceReads),
      ])
      return { months: rows.map(monthOf), readAt: lastRead?.readAt ?? null, fault: lastRead?.fault ?? null }
    },

    taxes,

    async taxesCsv(period, euroRate) {
      return { name: `taxes-${period}.csv`, stream: Readable.from([csvOfTaxes(await taxes(period), euroRate)]) }
    },
  }
}

/** Bounds of a quarter like 2026-Q1, or of a month like 2026-03. */
function boundsOfTaxPeriod(period: string): [from: Date, until: Date] {
  const [, year, quarter] = /^(\d{4})-Q([1-4])$/.exec(period) ?? []
  if (!year) return boundsOf(period)
  const firstMonth = (Number(quarter) - 1) * 3
  return [new Date(Date.UTC(Number(year), firstMonth)), new Date(Date.UTC(Number(year), firstMonth + 3))]
}

/** Sales, refunds and chargebacks. The last two are credits of the month they fall in, and name the month of the sale. */
const taxedEntries: SQL = sql`
  select 'sale' as kind, p.paid_at as at, p.country, i.region, i.tax_rate, null as "originalMonth", p.amount as gross, p.tax
  from ${payments} p join ${invoices} i on i.id = p.invoice_id
  union all
  select 'credit', r.at, p.country, i.region, i.tax_rate, to_char(p.paid_at at time zone 'UTC', 'YYYY-MM'), -r.amount, -r.tax
  from ${refunds} r join ${payments} p using (payment_intent_id) join ${invoices} i on i.id = p.invoice_id
  where r.status not in ${failedRefundStatuses}
  union all
  select 'credit', p.lost_at, p.country, i.region, i.tax_rate, to_char(p.paid_at at time zone 'UTC', 'YYYY-MM'),
    -p.lost_amount, -round(p.tax * p.lost_amount / p.amount::numeric)::int
  from ${payments} p join ${invoices} i on i.id = p.invoice_id where p.lost_at is not null`

type SumName = 'gross' | 'refunds' | 'disputes' | 'fees' | 'net'
type MonthRow = { month: string; currency: string; other: number; paidOut: number } & Record<
  `charged_${SumName}` | `settled_${SumName}`,
  number
>

function monthOf(row: MonthRow): BookedMonth {
  const { month, currency, other, paidOut } = row
  const sumsOf = (prefix: 'charged' | 'settled') => ({
    gross: row[`${prefix}_gross`],
    refunds: row[`${prefix}_refunds`],
    disputes: row[`${prefix}_disputes`],
    fees: row[`${prefix}_fees`],
    net: row[`${prefix}_net`],
  })
  return { month, charged: sumsOf('charged'), settled: { ...sumsOf('settled'), currency, other, paidOut } }
}

/** `charged_` sums are in the charges' currency. Lines without an amount in the books are converted at their exchange rate. */
const selectMonthsSince = (since: Date): SQL => sql`
  select to_char(at, 'YYYY-MM') as month, currency,
    coalesce(sum(charged) filter (where kind = 'gross'), 0)::float8 as charged_gross,
    coalesce(sum(charged) filter (where kind = 'refunds'), 0)::float8 as charged_refunds,
    coalesce(sum(charged) filter (where kind = 'disputes'), 0)::float8 as charged_disputes,
    coalesce(sum(charged_fee) filter (where kind in ('gross', 'refunds', 'disputes')), 0)::float8 as charged_fees,
    coalesce(sum(charged - charged_fee) filter (where kind in ('gross', 'refunds', 'disputes')), 0)::float8 as charged_net,
    coalesce(sum(amount) filter (where kind = 'gross'), 0)::float8 as settled_gross,
    coalesce(sum(amount) filter (where kind = 'refunds'), 0)::float8 as settled_refunds,
    coalesce(sum(amount) filter (where kind = 'disputes'), 0)::float8 as settled_disputes,
    coalesce(sum(fee) filter (where kind in ('gross', 'refunds', 'disputes')), 0)::float8 as settled_fees,
    coalesce(sum(net) filter (where kind <> 'paid_out'), 0)::float8 as settled_net,
    coalesce(sum(net) filter (where kind = 'other'), 0)::float8 as other,
    coalesce(-sum(net) filter (where kind = 'paid_out'), 0)::float8 as "paidOut"
  from (
    select b.created_at at time zone 'UTC' as at, b.currency, b.amount, b.fee, b.net,
      round(b.fee / coalesce(b.exchange_rate, 1)) as charged_fee,
      case when b.category = 'charge' then p.amount when b.category = 'refund' then -r.amount
        when b.category = 'refund_failure' then r.amount
        else round(b.amount / coalesce(b.exchange_rate, 1)) end as charged,
      case when b.category in ('payout', 'payout_reversal') then 'paid_out'
        when p.payment_intent_id is null then 'other'
        when b.category = 'charge' then 'gross' when b.category in ('refund', 'refund_failure') then 'refunds'
        when b.category in ('dispute', 'dispute_reversal') then 'disputes' else 'other' end as kind
    from ${balanceTransactions} b
    left join ${payments} p on p.payment_intent_id = b.payment_intent_id
    left join ${refunds} r on r.id = b.refund_id
    where b.created_at >= ${since}) lines
  group by 1, 2 order by 1 desc, 2`
