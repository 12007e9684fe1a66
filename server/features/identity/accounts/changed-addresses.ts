import { and, eq, exists, gt, isNotNull, isNull, ne, or } from 'drizzle-orm'
import { retention } from '#contract/retention.ts'
import type { Transaction } from '#server/database/connect.ts'
import { emailChanges, purchases, users } from '#server/database/schema.ts'

/** How long the old address can undo a change, in milliseconds. */
export const toUndo = retention.emailChanges.days * 86_400_000

/** The person who asked for another address may no longer have the account: it must not count afterward. */
export async function dropPendingChange(tx: Transaction, userId: string) {
  await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), isNull(emailChanges.confirmedAt)))
}

/** Nor may an old mailbox undo one: the account is for the reader of the address it has now. */
export async function forgetChanges(tx: Transaction, userId: string) {
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
}

/**
 * Whether its former account may still take this address back: a stranger who signed up with it could prevent that. Only for
 * accounts worth taking, or anyone could keep an address from its owner by signing up with it and moving on.
 */
export async function isReserved(
  tx: Transaction,
  email: string,
  now: Date,
  exceptFor?: string,
): Promise<boolean> {
  const [reserved] = await tx
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .innerJoin(users, eq(users.id, emailChanges.userId))
    .where(
      and(
        eq(emailChanges.oldEmail, email),
        exceptFor ? ne(emailChanges.userId, exceptFor) : undefined,
        gt(emailChanges.confirmedAt, new Date(now.getTime() - toUndo)),
        or(
          users.isAdmin,
          isNotNull(users.role),
          exists(tx.select().from(purchases).where(eq(purchases.userId, users.id))),
        ),
      ),
    )
    .limit(1)
  return reserved !== undefined
}
