import { inArray, sql } from 'drizzle-orm'
import type { Transaction } from '#server/database/connect.ts'
import { payments, refunds } from '#server/database/schema.ts'
import type { Subscription } from '#server/gateways/stripe.ts'

/** Rows are added and brought up to date, never deleted: what was paid was paid. Returns the refunds that are news. */
export async function recordPayments(tx: Transaction, purchaseId: string, { payments: paid, periods }: Subscription) {
  const periodOf = new Map(periods.map((period) => [period.invoiceId, period]))
  const rows = paid.map(({ paymentIntentId, invoiceId, invoiceNumber, paidAt, amount, country, lost }) => {
    const period = periodOf.get(invoiceId)
    return {
      paymentIntentId,
      purchaseId,
      invoiceId,
      invoiceNumber,
      paidAt,
      amount,
      tax: period?.tax?.amount ?? 0,
      periodStart: period?.start ?? null,
      periodEnd: period?.end ?? null,
      country,
      lostAt: lost?.at ?? null,
      lostAmount: lost?.amount ?? 0,
    }
  })
  if (rows.length > 0)
    await tx
      .insert(payments)
      .values(rows)
      .onConflictDoUpdate({
        target: payments.paymentIntentId,
        set: {
          tax: sql`excluded.tax`,
          invoiceNumber: sql`excluded.invoice_number`,
          periodStart: sql`excluded.period_start`,
          periodEnd: sql`excluded.period_end`,
          country: sql`excluded.country`,
          lostAt: sql`excluded.lost_at`,
          lostAmount: sql`excluded.lost_amount`,
        },
      })
  const back = paid.flatMap(({ paymentIntentId, refunds: all }) =>
    all.map((refund) => ({ ...refund, paymentIntentId })),
  )
  if (back.length === 0) return []
  const ids = back.map(({ id }) => id)
  const known = await tx.select().from(refunds).where(inArray(refunds.id, ids))
  await tx
    .insert(refunds)
    .values(back)
    .onConflictDoUpdate({ target: refunds.id, set: { status: sql`excluded.status` } })
  return back.filter(({ id, status }) => !known.some((row) => row.id === id && row.status === status))
}
