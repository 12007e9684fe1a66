import { and, eq } from 'drizzle-orm'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import { isLive } from '#contract/statuses.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { declarations } from '#server/database/schema.ts'
import type { DeclarationRow, Dependencies } from './dependencies.ts'

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
    const until = declarationDue(row.declaredAt)
    let outcome = 'The contract had already ended'
    if (row.kind === 'withdrawal') {
      const wasDue = isLive(before.status) || before.refundedAmount < before.amount
      const kept = await purchases.withdraw(row.purchaseId, until)
      if (wasDue) outcome = kept > 0 ? keptLater(kept, until) : 'Ended at once and refunded in full'
    } else if (isLive(before.status)) {
      // Not before the day that was asked for: the period in which it falls is the last one.
      if (row.endsOn && before.currentPeriodEnd && before.currentPeriodEnd < new Date(row.endsOn)) return
      await purchases.cancelDeclared(row.purchaseId, { from: countsFrom(row), until })
      const { endsAt, refundedAmount } = await purchases.find(row.purchaseId)
      const paidBack = refundedAmount > before.refundedAmount ? ', and the renewal was refunded' : ''
      outcome = endsAt ? `Ends on ${dayOf(endsAt)}` : `Ended at once${paidBack}`
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

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/** A cancellation for a later day counts from the end of that day. */
const countsFrom = ({ declaredAt, endsOn }: DeclarationRow) => {
  const wished = endsOn ? new Date(`${endsOn}T23:59:59Z`) : declaredAt
  return wished > declaredAt ? wished : declaredAt
}

const keptLater = (kept: number, until: Date) =>
  `Ended at once. Paid after ${dayOf(until)} and not refunded: $${(kept / 100).toFixed(2)}`
