import { and, eq, isNotNull, isNull, ne, not, sql } from 'drizzle-orm'
import type { RefusalCode } from '#contract/refusals.ts'
import { isLive } from '#contract/statuses.ts'
import { keyOfName, nameTaken, readUsername } from '#contract/tradingview-name.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { entitlements, purchases, tvConnection, usernameChanges, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { entitlementOf } from '#server/features/selling/purchases/purchases.ts'
import { createRechecks } from './names.ts'
import { createPersonalData } from './personal-data.ts'

export { recordCheckedName } from './names.ts'

export type EntitlementRow = typeof entitlements.$inferSelect

type Dependencies = {
  db: Database
  now: () => Date
  /** Queues whatever has to happen elsewhere, along with the change. */
  deliver(tx: Transaction, userId: string): Promise<void>
}

export type Entitlements = ReturnType<typeof createEntitlements>

/** Who may have what until when: a pure function of purchases, disputes and settings. Access elsewhere follows it. */
export function createEntitlements({ db, now, deliver }: Dependencies) {
  return {
    ...createPersonalData({ db, deliver }),
    ...createRechecks({ db, deliver }),

    async owns(userId: string, productId: string): Promise<boolean> {
      const [found] = await db
        .select({ id: purchases.id })
        .from(purchases)
        .where(and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase))
        .limit(1)
      return found !== undefined
    },

    /** Called with every change of a purchase. */
    async refresh(tx: Transaction, userId: string) {
      await workOut(tx, userId, now())
      await deliver(tx, userId)
    },

    /**
     * The TradingView account to unlock. Kept even if it can't be unlocked: `problem` says whether another customer
     * has it or it can't be a username.
     */
    async claim(tx: Transaction, userId: string, productId: string, typed: string) {
      await workOut(tx, userId, now())
      const read = readUsername(typed)
      const username = 'username' in read ? read.username : typed.trim().slice(0, 100)
      const usernameKey = 'username' in read ? keyOfName(read.username) : null
      // Two customers who claim one name at the same moment take turns.
      if (usernameKey) await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${usernameKey}))`)
      const isTaken =
        usernameKey !== null && (await takenBy(tx, productId, usernameKey, userId)) !== undefined
      if (usernameKey && !isTaken) await leaveName(tx, productId, usernameKey, userId)
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
      await deliver(tx, userId)
    },

    takenBy,

    /** What this person typed, as the name that will be claimed; a refusal at the form's field if it can't be theirs. */
    async claimable(
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

    /** The seller keeps somebody out although they pay, or lets them in again. Only access elsewhere follows. */
    async withhold(tx: Transaction, userId: string, productId: string, isWithheld: boolean) {
      // Somebody without a TradingView name may not have a row yet.
      if (isWithheld) await workOut(tx, userId, now())
      const { withheldSince } = entitlements
      const changed = await tx
        .update(entitlements)
        .set({ withheldSince: isWithheld ? now() : null })
        .where(
          and(
            eq(entitlements.userId, userId),
            eq(entitlements.productId, productId),
            isWithheld ? isNull(withheldSince) : isNotNull(withheldSince),
          ),
        )
      if (!changed.rowCount) return
      await workOut(tx, userId, now())
      await deliver(tx, userId)
    },

    async recordChange(
      tx: Transaction,
      change: { userId: string; fromKey: string; toKey: string; byAdmin: string | null },
    ) {
      await tx.insert(usernameChanges).values({ ...change, at: now() })
    },

    /** When this buyer changed names by themselves, newest first. */
    changesOf: (userId: string, tx: Transaction | Database = db) =>
      tx
        .select({ at: usernameChanges.at })
        .from(usernameChanges)
        .where(and(eq(usernameChanges.userId, userId), sql`${usernameChanges.byAdmin} is null`))
        .orderBy(sql`${usernameChanges.at} desc`)
        .limit(10),
  }
}

/** Somebody whose access has ended keeps no name from its owner; who is only kept out by the seller does. */
const keepsName = sql`(${entitlements.reason} is not null or ${entitlements.withheldSince} is not null)`

const hasName = (productId: string, usernameKey: string, butNot: string) =>
  and(
    eq(entitlements.productId, productId),
    eq(entitlements.usernameKey, usernameKey),
    ne(entitlements.userId, butNot),
  )

/** Another customer had this name before; if they come back, they are told that it is taken. */
async function leaveName(tx: Transaction, productId: string, usernameKey: string, to: string) {
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

/** Stores what this person's purchases give, for each product. */
async function workOut(tx: Transaction, userId: string, at: Date) {
  const [person] = await tx
    .select({ deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update')
  if (!person || person.deletedAt) return
  const [settings = { freezesDisputes: true }] = await tx
    .select({ freezesDisputes: tvConnection.freezesDisputes })
    .from(tvConnection)
  const bought = await tx.select().from(purchases).where(eq(purchases.userId, userId))
  const stored = await tx.select().from(entitlements).where(eq(entitlements.userId, userId))
  const products = new Set([...bought, ...stored].map(({ productId }) => productId))
  for (const productId of products) {
    const before = stored.find((row) => row.productId === productId)
    const held = before?.reason ? { until: before.until, reason: before.reason } : null
    const paid = bought.filter((purchase) => purchase.productId === productId)
    const after = before?.withheldSince ? null : entitlementOf(paid, settings, held)
    const values = {
      until: after?.until ?? null,
      reason: after?.reason ?? null,
      changedAt: at,
      // Whoever buys again after it ended starts afresh.
      withheldSince: paid.some(({ status }) => isLive(status)) ? (before?.withheldSince ?? null) : null,
    }
    const begins = after && !before?.reason ? { wantedSince: at } : {}
    await tx
      .insert(entitlements)
      .values({ userId, productId, ...values, ...begins })
      .onConflictDoUpdate({
        target: [entitlements.userId, entitlements.productId],
        set: { ...values, ...begins },
      })
  }
}
