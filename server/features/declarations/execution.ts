import { and, eq } from 'drizzle-orm'
import { isLive } from '#contract/statuses.ts'
import { declarations } from '../../database/schema.ts'
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

  async function close(id: string, outcome: string) {
    await db
      .update(declarations)
      .set({ state: 'done', handledAt: now(), outcome })
      .where(eq(declarations.id, id))
  }

  return {
    find,
    carryOut,
    close,

    /** Someone answered for it: the seller, or the job that found its owner. */
    async confirmAndCarryOut(id: string) {
      await db
        .update(declarations)
        .set({ state: 'confirmed' })
        .where(and(eq(declarations.id, id), eq(declarations.state, 'open')))
      await carryOut(id)
    },

    async carryOutConfirmed() {
      const waiting = await db
        .select({ id: declarations.id })
        .from(declarations)
        .where(eq(declarations.state, 'confirmed'))
      for (const { id } of waiting) await carryOut(id)
    },
  }
}
