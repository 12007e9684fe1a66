import { and, eq, type SQL } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '#server/database/connect.ts'
import { purchases } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'

export type PurchaseRow = typeof purchases.$inferSelect
export type PurchaseChanges = PgUpdateSetSource<typeof purchases>

/** True if the present period is not paid. An active purchase owes an amount while its renewal is only a draft. */
export const isUnpaid = ({ status, dueAmount }: PurchaseRow) =>
  status === 'past_due' || status === 'paused' || (status === 'active' && dueAmount !== null)

/** Throws 404; with `userId`, also for someone else's purchase. */
export async function findPurchase(db: Database | Transaction, id: string, userId?: string): Promise<PurchaseRow> {
  const [found] = await db
    .select()
    .from(purchases)
    .where(and(eq(purchases.id, id), userId ? eq(purchases.userId, userId) : undefined))
  if (!found) throw notFound('Purchase')
  return found
}

export async function insertPurchase(tx: Transaction, row: typeof purchases.$inferInsert): Promise<PurchaseRow> {
  const [inserted] = await tx.insert(purchases).values(row).returning()
  if (!inserted) throw new Error('The purchase was not booked')
  return inserted
}

/** Writes only the row: the caller updates ledger and access and queues emails in the same transaction. */
export async function updatePurchase(
  tx: Database | Transaction,
  id: string,
  changes: PurchaseChanges,
  condition?: SQL,
): Promise<PurchaseRow | undefined> {
  const [updated] = await tx
    .update(purchases)
    .set(changes)
    .where(and(eq(purchases.id, id), condition))
    .returning()
  return updated
}

export async function updatePurchases(
  tx: Database | Transaction,
  condition: SQL | undefined,
  changes: PurchaseChanges,
) {
  await tx.update(purchases).set(changes).where(condition)
}

export async function deletePurchase(tx: Transaction, id: string): Promise<PurchaseRow | undefined> {
  const [deleted] = await tx.delete(purchases).where(eq(purchases.id, id)).returning()
  return deleted
}
