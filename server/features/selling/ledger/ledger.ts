import { isDeepStrictEqual } from 'node:util'
import { eq, sql } from 'drizzle-orm'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { mrrMovements } from '#server/database/schema.ts'
import { runsAfter, withKinds } from './kinds.ts'
import type { Movement } from './movements.ts'

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
type MovementRow = typeof mrrMovements.$inferSelect
type OwnedMovement = Movement & { purchaseId: string; productId: string }

/** Skips corrected rows and their corrections. Oldest first; at the same time, the source that was recorded first. */
function validRows(rows: MovementRow[]) {
  const correctedIds = new Set(rows.map(({ corrects }) => corrects))
  const sourceOf = ({ purchaseId, source }: MovementRow) => `${purchaseId} ${source}`
  const firstIds = new Map(rows.toReversed().map((row) => [sourceOf(row), row.id]))
  const firstIdOf = (row: MovementRow) => firstIds.get(sourceOf(row)) ?? row.id
  return rows
    .filter((row) => row.corrects === null && !correctedIds.has(row.id))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || firstIdOf(a) - firstIdOf(b))
}

const contentOf = ({ source, at, arrBefore, arrAfter, cause }: Movement) =>
  [source, at.getTime(), arrBefore, arrAfter, cause].join()

export function createLedger({ db, now }: LedgerDeps): Ledger {
  /** In the order of their ids. */
  const readRowsOfPurchase = (tx: Transaction, { id }: Purchase) =>
    tx.select().from(mrrMovements).where(eq(mrrMovements.purchaseId, id)).orderBy(mrrMovements.id)

  async function record(tx: Transaction, purchase: Purchase, movements: Movement[]) {
    const recordedContents = validRows(await readRowsOfPurchase(tx, purchase)).map(contentOf)
    if (isDeepStrictEqual(recordedContents, movements.map(contentOf))) return
    await recordOfPerson(tx, purchase, movements)
  }

  /** Corrects the kinds of other purchases, too: taking over an old subscription makes the first purchase the second. */
  async function recordOfPerson(tx: Transaction, purchase: Purchase, movements: Movement[]) {
    const { id: purchaseId, userId, productId } = purchase
    // Movements of two purchases are recorded in order.
    await lockPerson(tx, userId)
    const rows = await tx.select().from(mrrMovements).where(eq(mrrMovements.userId, userId)).orderBy(mrrMovements.id)
    const recorded = validRows(rows)
    const wantedOf = Map.groupBy<string, OwnedMovement>(recorded, (row) => row.purchaseId)
    wantedOf.set(
      purchaseId,
      movements.map((movement) => ({ ...movement, purchaseId, productId })),
    )
    const wanted = withKinds(wantedOf)

    const keyOf = (movement: (typeof wanted)[number]) =>
      [movement.purchaseId, contentOf(movement), movement.kind, movement.people].join()
    const [recordedKeys, wantedKeys] = [new Set(recorded.map(keyOf)), new Set(wanted.map(keyOf))]
    const wrongRows = recorded.filter((row) => !wantedKeys.has(keyOf(row)))
    const missing = wanted.filter((movement) => !recordedKeys.has(keyOf(movement)))

    const revisions = new Map<string, number>()
    const takeRevision = (movement: OwnedMovement) => {
      const source = `${movement.purchaseId} ${movement.source}`
      const revision = revisions.get(source) ?? 0
      revisions.set(source, revision + 1)
      return revision
    }
    for (const row of rows) takeRevision(row)
    const recordedAt = now()
    const reversals = wrongRows.map(({ id, ...row }) => ({
      ...row,
      recordedAt,
      revision: takeRevision(row),
      arrBefore: row.arrAfter,
      arrAfter: row.arrBefore,
      people: -row.people,
      corrects: id,
    }))
    const additions = missing.map((movement) => {
      const { source, at, kind, cause, billingType, arrBefore, arrAfter, people } = movement
      const columns = { source, at, kind, cause, billingType, arrBefore, arrAfter, people }
      const owner = { purchaseId: movement.purchaseId, userId, productId: movement.productId }
      return { ...columns, ...owner, recordedAt, revision: takeRevision(movement) }
    })
    const newRows = [...reversals, ...additions]
    if (newRows.length > 0) await tx.insert(mrrMovements).values(newRows)
  }

  return {
    record,

    async recordEnd(tx, purchase, cause) {
      const movements = validRows(await readRowsOfPurchase(tx, purchase))
      const last = movements.at(-1)
      if (!last || !runsAfter(last)) return
      const end = { ...last, source: cause, at: now(), arrBefore: last.arrAfter, arrAfter: 0, cause }
      await recordOfPerson(tx, purchase, [...movements, end])
    },

    async forgetOld() {
      const limit = retentionStartOfYear(now(), retention.books)
      // Purchases that ran at the same time are deleted together, because only together do their people add up to 0.
      await db.execute(sql`
        with old as (
          select user_id, purchase_id, sum(people) as people from ${mrrMovements} group by 1, 2
          having max(at) < ${limit} and sum(arr_after - arr_before) = 0)
        delete from ${mrrMovements} where purchase_id in (
          select purchase_id from old where user_id in (select user_id from old group by 1 having sum(people) = 0))`)
    },
  }
}
