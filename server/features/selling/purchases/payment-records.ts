import { inArray, sql } from 'drizzle-orm'
import type { Transaction } from '#server/database/connect.ts'
import { payments, refunds } from '#server/database/schema.ts'
import type { Subscription } from '#server/gateways/stripe.ts'

/** Rows are added and brought up to date, never deleted: what was paid was paid. Returns the refunds that are news. */
export async function recordPayments(
  tx: Transaction,
  purchaseId: string,
  { payments: paid, periods }: Subscription,
) {
  const taxOf = new Map(periods.map(({ invoiceId, tax }) => [invoiceId, tax?.amount ?? 0]))
  const rows = paid.map(({ paymentIntentId, invoiceId, paidAt, amount }) => ({
    paymentIntentId,
    purchaseId,
    invoiceId,
    paidAt,
    amount,
    tax: taxOf.get(invoiceId) ?? 0,
  }))
  if (rows.length > 0)
    await tx
      .insert(payments)
      .values(rows)
      .onConflictDoUpdate({ target: payments.paymentIntentId, set: { tax: sql`excluded.tax` } })
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
