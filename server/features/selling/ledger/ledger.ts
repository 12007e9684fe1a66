import { eq, sql } from 'drizzle-orm'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import type { MovementKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { mrrMovements, users } from '#server/database/schema.ts'
import { isFullyDiscounted, type Movement } from './movements.ts'

export { arrOf, type Movement, movementsOf, movementsOfBooked } from './movements.ts'
export { createProof, type Proof } from './proof.ts'

type LedgerDeps = Pick<Context, 'db' | 'now'>

export type Ledger = {
  /** Adds missing movements, and reverses wrong ones by rows of their own. The caller has locked the purchase. */
  record(tx: Transaction, purchase: Purchase, wanted: Movement[]): Promise<void>
  /** Records an end today; earlier movements stay. */
  recordEnd(tx: Transaction, purchase: Purchase, cause: 'deleted' | 'gone'): Promise<void>
  /** Deletes a purchase's movements once all of them are old, so that no later sum changes. */
  forgetOld(): Promise<void>
}
type Purchase = { id: string; userId: string; productId: string }
const sameMomentMs = 60_000

type MovementRow = typeof mrrMovements.$inferSelect
type NewRow = typeof mrrMovements.$inferInsert

function standingOf(rows: MovementRow[]) {
  const corrected = new Set(rows.map(({ corrects }) => corrects))
  return rows.filter((row) => row.corrects === null && !corrected.has(row.id))
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

const takenBack = ({ arrBefore, arrAfter, people }: Pick<MovementRow, 'arrBefore' | 'arrAfter' | 'people'>) => ({
  arrBefore: arrAfter,
  arrAfter: arrBefore,
  people: -people,
})

/** A movement is new or lost only if the person pays for nothing else at that time. */
function kindOf(
  movement: Movement,
  previous: Movement | undefined,
  others: MovementRow[],
): { kind: MovementKind; people: number } {
  const { at, before, after } = movement
  // Stripe's times are whole seconds, so two ends at the same moment have no order.
  const earlier = others.filter((row) => row.at.getTime() <= at.getTime() + sameMomentMs)
  const paysAnyway = earlier.reduce((sum, { arrBefore, arrAfter }) => sum + arrAfter - arrBefore, 0) > 0
  const kind = after > before ? 'expansion' : 'contraction'
  const staysCustomer = (before > 0 || isFullyDiscounted(previous)) && (after > 0 || isFullyDiscounted(movement))
  if (paysAnyway || staysCustomer) return { kind, people: 0 }
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
  const lockPerson = (tx: Transaction, { userId }: Purchase) =>
    tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')

  /** Movements of a person's other purchases decide which kind one is of. Expects the person to be locked. */
  async function kindsFor(tx: Transaction, { id, userId }: Purchase) {
    const others = standingOf(await rowsOfPerson(tx, userId)).filter(({ purchaseId }) => purchaseId !== id)
    return (movement: Movement, previous: Movement | undefined) => kindOf(movement, previous, others)
  }

  /**
   * Corrects the kinds of a person's later movements, after one that lies before them was recorded: of a subscription that
   * was taken over, for example, which makes a later first purchase a second one.
   */
  async function correctLater(tx: Transaction, { id, userId }: Purchase, since: Date) {
    const rows = await rowsOfPerson(tx, userId)
    const standing = standingOf(rows)
    for (const row of standing) {
      if (row.purchaseId === id || row.at.getTime() <= since.getTime() + sameMomentMs) continue
      const isOwn = (other: MovementRow) => other.purchaseId === row.purchaseId
      const previous = standing.findLast((other) => isOwn(other) && other.id < row.id)
      const others = standing.filter((other) => !isOwn(other) && (other.purchaseId === id || other.id < row.id))
      const { kind, people } = kindOf(movementOf(row), previous && movementOf(previous), others)
      if (kind === row.kind && people === row.people) continue
      const revision = rows.filter((other) => isOwn(other) && other.source === row.source).length
      const { id: corrects, ...movement } = { ...row, recordedAt: now(), revision }
      await add(tx, [
        { ...movement, ...takenBack(row), corrects },
        { ...movement, kind, people, revision: revision + 1, corrects: null },
      ])
    }
  }

  return {
    async record(tx, purchase, wanted) {
      const rows = await rowsOf(tx, purchase)
      const standing = standingOf(rows)
      const isSame = (row: MovementRow, movement: Movement) =>
        row.source === movement.source &&
        row.at.getTime() === movement.at.getTime() &&
        row.arrBefore === movement.before &&
        row.arrAfter === movement.after &&
        row.cause === movement.cause
      const wrong = standing.filter((row) => !wanted.some((movement) => isSame(row, movement)))
      const missing = wanted.filter((movement) => !standing.some((row) => isSame(row, movement)))
      if (wrong.length + missing.length === 0) return
      const revisions = new Map<string, number>()
      for (const { source, revision } of rows) revisions.set(source, revision + 1)
      const revisionOf = (source: string) => {
        const revision = revisions.get(source) ?? 0
        revisions.set(source, revision + 1)
        return revision
      }
      await lockPerson(tx, purchase)
      const kindFor = await kindsFor(tx, purchase)
      await add(tx, [
        ...wrong.map(({ id, ...row }) => ({
          ...row,
          recordedAt: now(),
          revision: revisionOf(row.source),
          ...takenBack(row),
          corrects: id,
        })),
        ...missing.map((movement) => ({
          ...rowOf(purchase, movement),
          recordedAt: now(),
          revision: revisionOf(movement.source),
          ...kindFor(movement, wanted[wanted.indexOf(movement) - 1]),
        })),
      ])
      const [first] = missing
      if (first) await correctLater(tx, purchase, first.at)
    },

    async recordEnd(tx, purchase, cause) {
      const rows = await rowsOf(tx, purchase)
      const last = standingOf(rows).map(movementOf).at(-1)
      if (!last || (last.after === 0 && !isFullyDiscounted(last))) return
      await lockPerson(tx, purchase)
      const end: Movement = { ...last, source: cause, at: now(), before: last.after, after: 0, cause }
      const revision = rows.filter(({ source }) => source === cause).length
      const { kind, people } = (await kindsFor(tx, purchase))(end, last)
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
