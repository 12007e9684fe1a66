import { type SQL, sql } from 'drizzle-orm'
import type { figures } from '#contract/admin/figures.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { PaymentKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { boundsOf, decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { balanceTransactions, disputes, invoices, payments, payouts, refunds, users } from '#server/database/schema.ts'
import { usersMatching } from '#server/database/text-search.ts'

type PaymentsInput = ParsedInputOf<typeof figures.adminPayments>

export type ListPayments = (filter: PaymentsInput) => Promise<Page<RawOutputOf<typeof figures.adminPayments>[number]>>

type PaymentRow = {
  kind: PaymentKind
  id: string
  at: string | Date
  amount: number
  tax: number | null
  status: string | null
  invoice: { id: string; number: string | null }
  periodStart: string | Date | null
  periodEnd: string | Date | null
  country: string | null
  settled: { fee: number; net: number; currency: string } | null
  paidOutAt: string | Date | null
  disputeId: string | null
  user: { id: string; name: string; email: string }
}

const looksLikeId = /^(in|pi|re)_\w+$|^\w{4,}-\d{4,}$/

/** Query of each kind. Each uses its own index, so that every page costs the same. */
const queryParts: Record<PaymentKind, { columns: SQL; at: SQL; id: SQL; from: SQL }> = {
  payment: {
    columns: sql`amount, tax, null::text as status`,
    at: sql`paid_at`,
    id: sql`payment_intent_id`,
    from: sql`${payments}`,
  },
  refund: { columns: sql`amount, tax, status`, at: sql`at`, id: sql`id`, from: sql`${refunds}` },
  dispute: {
    columns: sql`lost_amount as amount, round(tax * lost_amount / amount::numeric)::int as tax, null::text as status`,
    at: sql`lost_at`,
    id: sql`payment_intent_id`,
    from: sql`${payments}`,
  },
}
const kinds = Object.keys(queryParts) as PaymentKind[]

export function createPayments({ db }: Pick<Context, 'db'>): ListPayments {
  function matchingPayments(q: string): SQL {
    if (looksLikeId.test(q))
      return sql`(select payment_intent_id from ${payments} where invoice_id = ${q} or payment_intent_id = ${q}
        or invoice_number = ${q.toUpperCase()} union select payment_intent_id from ${refunds} where id = ${q})`
    return sql`(select payment_intent_id from ${payments} where invoice_id in
      (select id from ${invoices} where user_id in ${usersMatching(q)}))`
  }

  function entriesQuery({ cursor, kind, period, q, limit }: PaymentsInput) {
    const after = decodeCursor(cursor, String.raw`[a-z]+_\w{1,100}`)
    const [, afterKind = '', afterId = ''] = /^([a-z]+)_(.+)$/.exec(after?.id ?? '') ?? []
    const [from, until] = period ? boundsOf(period) : []
    const selectedKinds = kinds.filter((entryKind) => !kind || entryKind === kind)
    const subqueries = selectedKinds.map((entryKind) => {
      const { columns, at, id, from: table } = queryParts[entryKind]
      const conditions = [sql`${at} is not null`]
      if (from) conditions.push(sql`${at} >= ${from} and ${at} < ${until}`)
      if (after) {
        // A payment and its dispute share an id, so the kind breaks ties, in descending order.
        const isBefore = entryKind < afterKind ? sql`<=` : sql`<`
        conditions.push(sql`(${at}, ${id}) ${isBefore} (${after.at}, ${afterId})`)
      }
      if (q) conditions.push(sql`payment_intent_id in ${matchingPayments(q)}`)
      return sql`(select ${entryKind}::text as kind, ${id} as id, payment_intent_id as intent, ${at} as at, ${columns}
        from ${table} where ${sql.join(conditions, sql` and `)} order by ${at} desc, ${id} desc limit ${limit + 1})`
    })
    return sql`(${sql.join(subqueries, sql` union all `)}) e`
  }

  return async function listPayments(input: PaymentsInput) {
    const { rows } = await db.execute<PaymentRow>(sql`
      select e.kind, e.id, e.at, e.amount, e.tax, e.status, p.period_start as "periodStart", p.period_end as "periodEnd", p.country,
        case when b.id is not null then json_build_object('fee', b.fee, 'net', b.net, 'currency', b.currency) end as settled,
        o.arrives_at as "paidOutAt",
        (select d.id from ${disputes} d where d.payment_intent_id = e.intent and e.kind <> 'refund' order by d.opened_at desc limit 1) as "disputeId",
        json_build_object('id', p.invoice_id, 'number', p.invoice_number) as invoice,
        json_build_object('id', ${users.id}, 'name', ${users.name}, 'email', ${users.email}) as "user"
      from ${entriesQuery(input)} join ${payments} p on p.payment_intent_id = e.intent join ${invoices} i on i.id = p.invoice_id
        join ${users} on ${users.id} = i.user_id
        left join lateral (select * from ${balanceTransactions} where payment_intent_id = e.intent
          and case e.kind when 'payment' then category = 'charge' when 'refund' then category = 'refund' and refund_id = e.id
            else category = 'dispute' end order by created_at limit 1) b on true
        left join ${payouts} o on o.id = b.payout_id
      order by e.at desc, e.id desc, e.kind desc limit ${input.limit + 1}`)
    const { items, next } = pageOf(rows, input.limit, positionOf)
    return { items: items.map(toListItem), next }
  }
}

const positionOf = ({ at, id, kind }: Pick<PaymentRow, 'at' | 'id' | 'kind'>) => ({
  at: new Date(at),
  id: `${kind}_${id}`,
})

const dateOf = (at: string | Date | null) => (at === null ? null : new Date(at))

const toListItem = (row: PaymentRow) => ({
  ...row,
  id: `${row.kind} ${row.id}`,
  at: new Date(row.at),
  periodStart: dateOf(row.periodStart),
  periodEnd: dateOf(row.periodEnd),
  paidOutAt: dateOf(row.paidOutAt),
})
