import { eq, sql } from 'drizzle-orm'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import type { MovementKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { mrrMovements } from '#server/database/schema.ts'
import { isFullyDiscounted, type Movement } from './movements.ts'

export { arrOf, type Movement, movementsOf, movementsOfBooked } from './movements.ts'
export { createProof, type Proof } from './proof.ts'

type LedgerDeps = Pick<Context, 'db' | 'now'>

export type Ledger = {
  /** Adds missing rows, and reverses wrong ones by further rows. Expects the purchase to be locked. */
  record(tx: Transaction, purchase: Purchase, movements: Movement[]): Promise<void>
  /** Records an end at the present time, whatever Stripe says. */
  recordEnd(tx: Transaction, purchase: Purchase, cause: 'deleted' | 'gone'): Promise<void>
  /** Deletes a purchase's movements once all of them are old, so that no later sum changes. */
  forgetOld(): Promise<void>
}
type Purchase = { id: string; userId: string; productId: string }
/** Movements this close together count as simultaneous, because Stripe's times are whole seconds. */
const simultaneousMs = 60_000

type MovementRow = typeof mrrMovements.$inferSelect
type NewRow = typeof mrrMovements.$inferInsert

function validRows(rows: MovementRow[]) {
  const correctedIds = new Set(rows.map(({ corrects }) => corrects))
  return rows.filter((row) => row.corrects === null && !correctedIds.has(row.id))
}

const rowOf = (
  { id: purchaseId, userId, productId }: Purchase,
  { at, source, cause, billing: billingType, before: arrBefore, after: arrAfter }: Movement,
) => ({ purchaseId, userId, productId, at, source, cause, billingType, arrBefore, arrAfter })

const movementOf = ({ at, source, cause, billingType, arrBefore, arrAfter }: MovementRow): Movement => ({
  at,
  source,
  cause,
  billing: billingType,
  before: arrBefore,
  after: arrAfter,
})

const reversed = ({ arrBefore, arrAfter, people }: Pick<MovementRow, 'arrBefore' | 'arrAfter' | 'people'>) => ({
  arrBefore: arrAfter,
  arrAfter: arrBefore,
  people: -people,
})

/** A customer is won or lost only if no other purchase of the person brings revenue at that time. */
function kindOf(
  movement: Movement,
  previous: Movement | undefined,
  otherMovements: MovementRow[],
): { kind: MovementKind; people: number } {
  const { at, before, after } = movement
  const earlier = otherMovements.filter((row) => row.at.getTime() <= at.getTime() + simultaneousMs)
  const paysForOther = earlier.reduce((sum, { arrBefore, arrAfter }) => sum + arrAfter - arrBefore, 0) > 0
  const wasCustomer = before > 0 || isFullyDiscounted(previous)
  const isCustomer = after > 0 || isFullyDiscounted(movement)
  if (paysForOther || (wasCustomer && isCustomer))
    return { kind: after > before ? 'expansion' : 'contraction', people: 0 }
  if (after === 0) return { kind: 'churn', people: -1 }
  return { kind: !previous && earlier.length === 0 ? 'new' : 'reactivation', people: 1 }
}

export function createLedger({ db, now }: LedgerDeps): Ledger {
  const rowsOfPerson = (tx: Transaction, userId: string) =>
    tx.select().from(mrrMovements).where(eq(mrrMovements.userId, userId)).orderBy(mrrMovements.id)

  const rowsOf = (tx: Transaction, { id }: Purchase) =>
    tx.select().from(mrrMovements).where(eq(mrrMovements.purchaseId, id)).orderBy(mrrMovements.id)

  async function add(tx: Transaction, rows: NewRow[]) {
    if (rows.length > 0) await tx.insert(mrrMovements).values(rows)
  }

  /** Locks the person, so that movements of two purchases are recorded in order. */
  async function lockOtherMovements(tx: Transaction, { id, userId }: Purchase) {
    await lockPerson(tx, userId)
    return validRows(await rowsOfPerson(tx, userId)).filter(({ purchaseId }) => purchaseId !== id)
  }

  /** Taking over an old subscription, for example, turns a later first purchase into a second one. */
  async function correctLaterKinds(tx: Transaction, { id, userId }: Purchase, since: Date) {
    const rows = await rowsOfPerson(tx, userId)
    const valid = validRows(rows)
    for (const row of valid) {
      if (row.purchaseId === id || row.at.getTime() <= since.getTime() + simultaneousMs) continue
      const isOfSamePurchase = (other: MovementRow) => other.purchaseId === row.purchaseId
      const previous = valid.findLast((other) => isOfSamePurchase(other) && other.id < row.id)
      // The purchase that was recorded just now counts, although its rows are newer.
      const otherMovements = valid.filter(
        (other) => !isOfSamePurchase(other) && (other.purchaseId === id || other.id < row.id),
      )
      const { kind, people } = kindOf(movementOf(row), previous && movementOf(previous), otherMovements)
      if (kind === row.kind && people === row.people) continue
      const revision = rows.filter((other) => isOfSamePurchase(other) && other.source === row.source).length
      const { id: wrongId, ...movement } = row
      const recordedAt = now()
      await add(tx, [
        { ...movement, recordedAt, revision, ...reversed(row), corrects: wrongId },
        { ...movement, recordedAt, revision: revision + 1, kind, people, corrects: null },
      ])
    }
  }

  return {
    async record(tx, purchase, movements) {
      const rows = await rowsOf(tx, purchase)
      const valid = validRows(rows)
      const isSame = (row: MovementRow, movement: Movement) =>
        row.source === movement.source &&
        row.at.getTime() === movement.at.getTime() &&
        row.arrBefore === movement.before &&
        row.arrAfter === movement.after &&
        row.cause === movement.cause
      const wrong = valid.filter((row) => !movements.some((movement) => isSame(row, movement)))
      const missing = movements.filter((movement) => !valid.some((row) => isSame(row, movement)))
      if (wrong.length + missing.length === 0) return

      const nextRevisions = new Map<string, number>()
      for (const { source, revision } of rows) nextRevisions.set(source, revision + 1)
      const takeRevision = (source: string) => {
        const revision = nextRevisions.get(source) ?? 0
        nextRevisions.set(source, revision + 1)
        return revision
      }

      const otherMovements = await lockOtherMovements(tx, purchase)
      const previousOf = (movement: Movement) => movements[movements.indexOf(movement) - 1]
      await add(tx, [
        ...wrong.map(({ id, ...row }) => ({
          ...row,
          recordedAt: now(),
          revision: takeRevision(row.source),
          ...reversed(row),
          corrects: id,
        })),
        ...missing.map((movement) => ({
          ...rowOf(purchase, movement),
          recordedAt: now(),
          revision: takeRevision(movement.source),
          ...kindOf(movement, previousOf(movement), otherMovements),
        })),
      ])
      const [firstMissing] = missing
      if (firstMissing) await correctLaterKinds(tx, purchase, firstMissing.at)
    },

    async recordEnd(tx, purchase, cause) {
      const rows = await rowsOf(tx, purchase)
      const last = validRows(rows).map(movementOf).at(-1)
      if (!last || (last.after === 0 && !isFullyDiscounted(last))) return
      const otherMovements = await lockOtherMovements(tx, purchase)
      const end: Movement = { ...last, source: cause, at: now(), before: last.after, after: 0, cause }
      const revision = rows.filter(({ source }) => source === cause).length
      const { kind, people } = kindOf(end, last, otherMovements)
      await add(tx, [{ ...rowOf(purchase, end), recordedAt: end.at, revision, kind, people }])
    },

    async forgetOld() {
      const limit = retentionStartOfYear(now(), retention.books)
      await db.delete(mrrMovements).where(sql`${mrrMovements.purchaseId} in (
        select old.purchase_id from ${mrrMovements} old where old.at < ${limit} group by old.purchase_id
        having sum(old.arr_after - old.arr_before) = 0 and not exists (
          select from ${mrrMovements} later where later.purchase_id = old.purchase_id and later.at >= ${limit}))`)
    },
  }
}
