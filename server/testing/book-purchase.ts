import { eq } from 'drizzle-orm'
import type { Connection } from '../database/connect.ts'
import { purchases } from '../database/schema.ts'
import { arrOf, createLedger, movementsOfBooked } from '../features/selling/ledger/ledger.ts'

/** The template of the test databases contains this product. */
export const reboundSigmaPro = { id: '5b8f9a52-6d0e-4a53-9a3c-2f1f6f7f0c01', slug: 'rebound-sigma-pro' }

type Values = typeof purchases.$inferInsert

export async function bookPurchase(
  { db }: Connection,
  userId: string,
  values: Partial<Values> = {},
): Promise<typeof purchases.$inferSelect> {
  const [purchase] = await db
    .insert(purchases)
    .values({
      userId,
      productId: reboundSigmaPro.id,
      billingType: 'monthly',
      price: values.billingType === 'yearly' ? 39_000 : 3900,
      status: 'active',
      ...values,
    })
    .returning()
  if (!purchase) throw new Error('The purchase was not booked')
  return purchase
}

export async function bookPaid(connection: Connection, userId: string, values: Partial<Values> = {}) {
  const purchase = await bookPurchase(connection, userId, { ...values, bookedAs: 'paid_elsewhere' })
  const movements = movementsOfBooked(purchase)
  // Recorded one by one, each at its own time, so that none was recorded after its month.
  for (const [index, { at }] of movements.entries()) {
    const ledger = createLedger({ db: connection.db, now: () => at })
    await connection.db.transaction((tx) => ledger.record(tx, purchase, movements.slice(0, index + 1)))
  }
  await connection.db
    .update(purchases)
    .set({ arr: arrOf(movements) })
    .where(eq(purchases.id, purchase.id))
  return purchase
}
