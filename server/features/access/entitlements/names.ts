import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { NameProblem } from '#contract/statuses.ts'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements } from '#server/database/schema.ts'

type Checked = { username: string; problem: NameProblem | null; similar: string[]; at: Date }

/** What TradingView says about a claimed name; nothing if another name has been claimed in the meantime. */
export async function recordCheckedName(
  tx: Transaction,
  id: string,
  { username, problem, similar, at }: Checked,
) {
  await tx
    .update(entitlements)
    .set({ username, problem, similar, checkedAt: at })
    .where(and(eq(entitlements.id, id), eq(entitlements.usernameKey, keyOfName(username))))
}

const isUnknownName = eq(entitlements.problem, 'not_found')

type Rechecking = { db: Database; deliver(tx: Transaction, userId: string): Promise<void> }

/** Asks again about a name that was unknown: it may take minutes until TradingView finds a new one. */
export function createRechecks({ db, deliver }: Rechecking) {
  async function recheckName(tx: Transaction, userId: string) {
    await tx
      .update(entitlements)
      .set({ checkedAt: null, problem: null })
      .where(and(eq(entitlements.userId, userId), isUnknownName))
    await deliver(tx, userId)
  }

  return {
    recheckName,

    /** For everyone who pays for a name that nothing looks like. */
    async recheckNames() {
      const unknown = await db
        .select({ userId: entitlements.userId })
        .from(entitlements)
        .where(and(isUnknownName, isNotNull(entitlements.reason), sql`${entitlements.similar} = '[]'`))
      for (const { userId } of unknown) await db.transaction((tx) => recheckName(tx, userId))
    },
  }
}
