import { and, desc, eq, isNotNull, isNull, ne, not, sql } from 'drizzle-orm'
import type { RefusalCode } from '#contract/refusals.ts'
import type { NameProblem } from '#contract/statuses.ts'
import { keyOfName, nameTaken, readUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, usernameChanges } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'

type Others = {
  recompute(tx: Transaction, userId: string): Promise<void>
  requestSync(tx: Transaction, userId: string): Promise<void>
}

/** The TradingView account that a person wants unlocked. A name belongs to one customer of a product. */
export function createUsernames(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { recompute, requestSync }: Others,
) {
  /** Asks again about a name that was unknown: it may take minutes until TradingView finds a new one. */
  async function recheck(tx: Transaction, userId: string) {
    await tx
      .update(entitlements)
      .set({ checkedAt: null, problem: null })
      .where(and(eq(entitlements.userId, userId), isUnknownName))
    await requestSync(tx, userId)
  }

  return {
    recheck,
    takenBy,

    /** Kept even if it can't be unlocked: `problem` says whether another customer has it or it can't be a username. */
    async set(tx: Transaction, userId: string, productId: string, typed: string) {
      await recompute(tx, userId)
      const read = readUsername(typed)
      const username = 'username' in read ? read.username : typed.trim().slice(0, 100)
      const usernameKey = 'username' in read ? keyOfName(read.username) : null
      // Two customers who give the same name at the same moment take turns.
      if (usernameKey) await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${usernameKey}))`)
      const isTaken =
        usernameKey !== null && (await takenBy(tx, productId, usernameKey, userId)) !== undefined
      if (usernameKey && !isTaken) await releaseName(tx, productId, usernameKey, userId)
      const named = {
        username,
        usernameKey: isTaken ? null : usernameKey,
        problem: isTaken ? ('taken' as const) : usernameKey ? null : ('unreadable' as const),
        similar: [],
        checkedAt: null,
        wantedSince: now(),
        changedAt: now(),
      }
      await tx
        .insert(entitlements)
        .values({ userId, productId, ...named })
        .onConflictDoUpdate({
          target: [entitlements.userId, entitlements.productId],
          set: named,
          // The same name again keeps its spelling and its clock.
          setWhere: sql`${named.usernameKey}::text is null or ${entitlements.problem} is not null
            or ${entitlements.usernameKey} is distinct from ${named.usernameKey}`,
        })
      await requestSync(tx, userId)
    },

    /** The name that was meant by what this person typed; a refusal at the form's field if it can't be theirs. */
    async requireAvailable(
      tx: Transaction | Database,
      { userId, productId }: Record<'userId' | 'productId', string>,
      typed: string,
      field: 'username' | 'tradingViewUsername' = 'username',
    ): Promise<string> {
      const refuse = (status: number, code: RefusalCode, message: string) =>
        new Refusal(status, code, message, { fields: { [field]: message } })
      const read = readUsername(typed)
      if ('refusal' in read) throw refuse(400, 'invalid-input', read.refusal)
      if (await takenBy(tx, productId, keyOfName(read.username), userId))
        throw refuse(409, 'name-taken', nameTaken)
      return read.username
    },

    /** Asks again about every name that is paid for and that nothing looks like. */
    async recheckUnknown() {
      const unknown = await db
        .select({ userId: entitlements.userId })
        .from(entitlements)
        .where(and(isUnknownName, isNotNull(entitlements.reason), sql`${entitlements.similar} = '[]'`))
      for (const { userId } of unknown) await db.transaction((tx) => recheck(tx, userId))
    },

    async recordChange(
      tx: Transaction,
      change: { userId: string; fromKey: string; toKey: string; byAdmin: string | null },
    ) {
      await tx.insert(usernameChanges).values({ ...change, at: now() })
    },

    /** When this buyer changed names, newest first; without what admins changed. */
    changesOf: (userId: string, tx: Transaction | Database = db) =>
      tx
        .select({ at: usernameChanges.at })
        .from(usernameChanges)
        .where(and(eq(usernameChanges.userId, userId), isNull(usernameChanges.byAdmin)))
        .orderBy(desc(usernameChanges.at))
        .limit(10),
  }
}

type Checked = { username: string; problem: NameProblem | null; similar: string[]; at: Date }

/** What TradingView says about a name; nothing if the person has given another one in the meantime. */
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

/** A name is free again when access has ended, but not while the seller withholds it. */
const keepsName = sql`(${entitlements.reason} is not null or ${entitlements.withheldSince} is not null)`

const hasName = (productId: string, usernameKey: string, butNot: string) =>
  and(
    eq(entitlements.productId, productId),
    eq(entitlements.usernameKey, usernameKey),
    ne(entitlements.userId, butNot),
  )

/** Another customer had this name before; if they come back, they are told that it is taken. */
async function releaseName(tx: Transaction, productId: string, usernameKey: string, to: string) {
  await tx
    .update(entitlements)
    .set({ usernameKey: null, problem: 'taken' })
    .where(and(hasName(productId, usernameKey, to), not(keepsName)))
}

/** The customer who has this name, other than this one. */
async function takenBy(tx: Transaction | Database, productId: string, usernameKey: string, userId: string) {
  const [other] = await tx
    .select({ userId: entitlements.userId })
    .from(entitlements)
    .where(and(hasName(productId, usernameKey, userId), keepsName))
  return other?.userId
}
