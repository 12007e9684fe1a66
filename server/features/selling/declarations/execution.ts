import { and, eq } from 'drizzle-orm'
import { isLive } from '#contract/statuses.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { declarations } from '#server/database/schema.ts'
import type { Dependencies } from './dependencies.ts'

export type Execution = ReturnType<typeof createExecution>

/** Carries out what was confirmed. Every step is safe to repeat, and an hourly job repeats what a crash left behind. */
export function createExecution({ db, now, purchases }: Pick<Dependencies, 'db' | 'now' | 'purchases'>) {
  async function find(id: string) {
    const [row] = await db.select().from(declarations).where(eq(declarations.id, id))
    return row
  }

  async function carryOut(id: string) {
    const row = await find(id)
    if (row?.state !== 'confirmed' || !row.purchaseId) return
    const before = await purchases.find(row.purchaseId)
    let outcome = 'The contract had already ended'
    if (row.kind === 'withdrawal') {
      if (isLive(before.status) || before.refundedAmount < before.amount)
        outcome = 'Ended at once and refunded in full'
      await purchases.withdraw(row.purchaseId)
    } else if (isLive(before.status)) {
      // Not before the day that was asked for: the period in which it falls is the last one.
      if (row.endsOn && before.currentPeriodEnd && before.currentPeriodEnd < new Date(row.endsOn)) return
      await purchases.cancelDeclared(row.purchaseId)
      const { endsAt } = await purchases.find(row.purchaseId)
      outcome = endsAt ? `Ends on ${endsAt.toISOString().slice(0, 10)}` : 'Ended at once'
    }
    await close(id, outcome)
  }

  async function close(id: string, outcome: string, tx: Database | Transaction = db) {
    await tx
      .update(declarations)
      .set({ state: 'done', handledAt: now(), outcome })
      .where(eq(declarations.id, id))
  }

  return {
    find,
    carryOut,
    close,

    /** Someone answers for it: the seller or its owner. From here on the shop tries until it is done. */
    async confirmAndCarryOut(id: string, owner: { userId?: string } = {}) {
      await db
        .update(declarations)
        .set({ state: 'confirmed', ...owner })
        .where(and(eq(declarations.id, id), eq(declarations.state, 'open')))
      await carryOut(id)
    },

    /** What cannot be done yet doesn't keep the others waiting. */
    async carryOutConfirmed() {
      const waiting = await db
        .select({ id: declarations.id })
        .from(declarations)
        .where(eq(declarations.state, 'confirmed'))
      const failures: unknown[] = []
      for (const { id } of waiting) await carryOut(id).catch((error: unknown) => failures.push(error))
      if (failures.length > 0)
        throw new AggregateError(
          failures,
          `${failures.length} of ${waiting.length} declarations not carried out`,
        )
    },
  }
}
