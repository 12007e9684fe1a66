import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import { email as emailField } from '#contract/fields.ts'
import { readContractNumber } from '#contract/selling/legal/consumer-law.ts'
import * as z from '#contract/zod.ts'
import type { Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { type declarations, purchases, users } from '#server/database/schema.ts'

type Declared = Pick<typeof declarations.$inferSelect, 'contract' | 'email' | 'userId'>

/**
 * The contract someone means: by its number, by the email it was bought with, or, if they typed anything else, the one
 * of whoever is logged in or gets the receipt. A running contract goes before one that has ended. Its owner is locked: their
 * address can't change before it's known that a link goes there.
 */
export async function findContract(tx: Transaction, { contract, email, userId }: Declared) {
  const number = readContractNumber(contract)
  const typed = z.safeParse(emailField(z), contract)
  const isTheirs = userId ? eq(users.id, userId) : eq(users.email, email)
  const [found] = await tx
    .select({ purchase: purchases, owner: { id: users.id, email: users.email, name: users.name } })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(number ? startsWith(number) : typed.success ? eq(users.email, typed.data) : isTheirs)
    .orderBy(sql`(${isLivePurchase}) desc`, desc(purchases.createdAt))
    .limit(1)
    .for('share', { of: users })
  return found
}

/** By the primary key's order, so that it costs the same with a million purchases. */
const startsWith = (number: string) =>
  and(
    gte(purchases.id, `${number}-0000-0000-0000-000000000000`),
    lte(purchases.id, `${number}-ffff-ffff-ffff-ffffffffffff`),
  )
