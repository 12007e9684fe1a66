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

/** Skips corrected rows and their corrections. */
function validRows(rows: MovementRow[]) {
  const correctedIds = new Set(rows.map(({ corrects }) => corrects))
  return rows.filter((row) => row.corrects === null && !correctedIds.has(row.id))
}

function columnsOf({ id: purchaseId, userId, productId }: Purchase, movement: Movement) {
  const { at, source, cause, billingType, arrBefore, arrAfter } = movement
  return { purchaseId, userId, productId, at, source, cause, billingType, arrBefore, arrAfter }
}

/** Columns of a further row that reverses a wrong one. */
const reversingColumns = ({ arrBefore, arrAfter, people }: Pick<MovementRow, 'arrBefore' | 'arrAfter' | 'people'>) => ({
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
  const { at, arrBefore, arrAfter } = movement
  const earlierMovements = otherMovements.filter((row) => row.at.getTime() <= at.getTime() + simultaneousMs)
  let arrOfOthers = 0
  for (const row of earlierMovements) arrOfOthers += row.arrAfter - row.arrBefore
  const paysForOther = arrOfOthers > 0
  const wasCustomer = arrBefore > 0 || isFullyDiscounted(previous)
  const isCustomer = arrAfter > 0 || isFullyDiscounted(movement)
  const staysCustomer = paysForOther || (wasCustomer && isCustomer)
  if (staysCustomer) return { kind: arrAfter > arrBefore ? 'expansion' : 'contraction', people: 0 }
  if (arrAfter === 0) return { kind: 'churn', people: -1 }
  const isFirstMovement = !previous && earlierMovements.length === 0
  return { kind: isFirstMovement ? 'new' : 'reactivation', people: 1 }
}

export function createLedger({ db, now }: LedgerDeps): Ledger {
  const readRowsOfPerson = (tx: Transaction, userId: string) =>
    tx.select().from(mrrMovements).where(eq(mrrMovements.userId, userId)).orderBy(mrrMovements.id)

  const readRowsOfPurchase = (tx: Transaction, { id }: Purchase) =>
    tx.select().from(mrrMovements).where(eq(mrrMovements.purchaseId, id)).orderBy(mrrMovements.id)

  async function insertRows(tx: Transaction, rows: NewRow[]) {
    if (rows.length > 0) await tx.insert(mrrMovements).values(rows)
  }

  /** Locks the person, so that movements of two purchases are recorded in order. */
  async function lockOtherMovements(tx: Transaction, { id, userId }: Purchase) {
    await lockPerson(tx, userId)
    const validMovements = validRows(await readRowsOfPerson(tx, userId))
    return validMovements.filter(({ purchaseId }) => purchaseId !== id)
  }

  /** Corrects the person's later movements. Taking over an old subscription, for example, makes a first purchase the second. */
  async function correctLaterKinds(tx: Transaction, { id: recordedId, userId }: Purchase, since: Date) {
    const rows = await readRowsOfPerson(tx, userId)
    const validMovements = validRows(rows)
    for (const row of validMovements) {
      const isLater = row.at.getTime() > since.getTime() + simultaneousMs
      if (row.purchaseId === recordedId || !isLater) continue
      const isOfSamePurchase = (other: MovementRow) => other.purchaseId === row.purchaseId
      const previous = validMovements.findLast((other) => isOfSamePurchase(other) && other.id < row.id)
      // The purchase that was recorded just now counts, although its rows are newer.
      const counts = (other: MovementRow) => other.purchaseId === recordedId || other.id < row.id
      const otherMovements = validMovements.filter((other) => !isOfSamePurchase(other) && counts(other))
      const { kind, people } = kindOf(row, previous, otherMovements)
      if (kind === row.kind && people === row.people) continue
      const revision = rows.filter((other) => isOfSamePurchase(other) && other.source === row.source).length
      const { id: wrongId, ...movement } = row
      const recordedAt = now()
      await insertRows(tx, [
        { ...movement, recordedAt, revision, ...reversingColumns(row), corrects: wrongId },
        { ...movement, recordedAt, revision: revision + 1, kind, people, corrects: null },
      ])
    }
  }

  return {
    async record(tx, purchase, movements) {
      const rows = await readRowsOfPurchase(tx, purchase)
      const validMovements = validRows(rows)
      const isSame = (row: MovementRow, movement: Movement) =>
        row.source === movement.source &&
        row.at.getTime() === movement.at.getTime() &&
        row.arrBefore === movement.arrBefore &&
        row.arrAfter === movement.arrAfter &&
        row.cause === movement.cause
      const wrongRows = validMovements.filter((row) => !movements.some((movement) => isSame(row, movement)))
      const missingMovements = movements.filter((movement) => !validMovements.some((row) => isSame(row, movement)))
      if (wrongRows.length + missingMovements.length === 0) return

      const nextRevisions = new Map<string, number>()
      for (const { source, revision } of rows) nextRevisions.set(source, revision + 1)
      const takeRevision = (source: string) => {
        const revision = nextRevisions.get(source) ?? 0
        nextRevisions.set(source, revision + 1)
        return revision
      }

      const otherMovements = await lockOtherMovements(tx, purchase)
      const previousOf = (movement: Movement) => movements[movements.indexOf(movement) - 1]
      const reversals = wrongRows.map(({ id, ...row }) => ({
        ...row,
        recordedAt: now(),
        revision: takeRevision(row.source),
        ...reversingColumns(row),
        corrects: id,
      }))
      const additions = missingMovements.map((movement) => ({
        ...columnsOf(purchase, movement),
        recordedAt: now(),
        revision: takeRevision(movement.source),
        ...kindOf(movement, previousOf(movement), otherMovements),
      }))
      await insertRows(tx, [...reversals, ...additions])
      const [firstAddition] = additions
      if (firstAddition) await correctLaterKinds(tx, purchase, firstAddition.at)
    },

    async recordEnd(tx, purchase, cause) {
      const rows = await readRowsOfPurchase(tx, purchase)
      const last = validRows(rows).at(-1)
      const isCustomer = last && (last.arrAfter > 0 || isFullyDiscounted(last))
      if (!isCustomer) return
      const otherMovements = await lockOtherMovements(tx, purchase)
      const end: Movement = { ...last, source: cause, at: now(), arrBefore: last.arrAfter, arrAfter: 0, cause }
      const revision = rows.filter(({ source }) => source === cause).length
      const { kind, people } = kindOf(end, last, otherMovements)
      await insertRows(tx, [{ ...columnsOf(purchase, end), recordedAt: end.at, revision, kind, people }])
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
