import { desc, eq, inArray, or } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { declarations, purchases } from '#server/database/schema.ts'
import { deletedEmail } from '#server/features/identity/accounts/accounts.ts'

export function createPersonalData({ db }: { db: Database }) {
  const ofUser = (from: Database | Transaction, userId: string) =>
    or(
      eq(declarations.userId, userId),
      inArray(
        declarations.purchaseId,
        from.select({ id: purchases.id }).from(purchases).where(eq(purchases.userId, userId)),
      ),
    )

  return {
    /**
     * What was declared and when stays with the books, and the purchase tells what came of it; who it was goes, with
     * everything anyone wrote about it.
     */
    async forget(tx: Transaction, userId: string) {
      await tx
        .update(declarations)
        .set({
          name: 'Deleted user',
          contract: '',
          email: deletedEmail(userId),
          reason: null,
          outcome: null,
          networkHash: '',
        })
        .where(ofUser(tx, userId))
    },

    /** Only what they declared themselves: a stranger may have named their contract. */
    async dataOf(userId: string) {
      const declared = await db
        .select({
          kind: declarations.kind,
          state: declarations.state,
          name: declarations.name,
          contract: declarations.contract,
          email: declarations.email,
          reason: declarations.reason,
          endsOn: declarations.endsOn,
          declaredAt: declarations.declaredAt,
          handledAt: declarations.handledAt,
          outcome: declarations.outcome,
        })
        .from(declarations)
        .where(eq(declarations.userId, userId))
        .orderBy(desc(declarations.declaredAt))
      return { declarations: declared }
    },
  }
}
