import type { Connection } from '../database/connect.ts'
import { purchases } from '../database/schema.ts'

/** The first product: the template of the test databases has it with this id. */
export const reboundSigmaPro = { id: '5b8f9a52-6d0e-4a53-9a3c-2f1f6f7f0c01', slug: 'rebound-sigma-pro' }

type Values = typeof purchases.$inferInsert

/** Puts a purchase straight into the books, in whatever state a test needs. */
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
