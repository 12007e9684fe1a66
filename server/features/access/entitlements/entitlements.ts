import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { isLive } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { entitlements, purchases, tvConnection, usernameChanges, users } from '#server/database/schema.ts'
import { entitlementOf } from '#server/features/selling/purchases/purchases.ts'
import { createUsernames } from './usernames.ts'

export { recordCheckedName } from './usernames.ts'

export type EntitlementRow = typeof entitlements.$inferSelect

type Others = {
  /** Queues the job that brings TradingView in line, along with the change. */
  requestSync(tx: Transaction, userId: string): Promise<void>
}

export type Entitlements = ReturnType<typeof createEntitlements>

/** Who may have what until when: a pure function of purchases, disputes and settings. TradingView follows it. */
export function createEntitlements(context: Pick<Context, 'db' | 'now'>, { requestSync }: Others) {
  const { db, now } = context
  const recompute = (tx: Transaction, userId: string) => recomputeAt(now(), tx, userId)

  /** Called with every change of a purchase. */
  async function refresh(tx: Transaction, userId: string) {
    await recompute(tx, userId)
    await requestSync(tx, userId)
  }

  return {
    refresh,
    usernames: createUsernames(context, { recompute, requestSync }),

    async owns(userId: string, productId: string): Promise<boolean> {
      const [found] = await db
        .select({ id: purchases.id })
        .from(purchases)
        .where(and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase))
        .limit(1)
      return found !== undefined
    },

    /** Withholds access on TradingView from a person who pays, or ends that. The shop's own pages stay open to them. */
    async withhold(tx: Transaction, userId: string, productId: string, isWithheld: boolean) {
      // Without a TradingView username, there may be no row yet.
      if (isWithheld) await recompute(tx, userId)
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
      if (changed.rowCount) await refresh(tx, userId)
    },

    /** A deleted person is entitled to nothing, so TradingView is locked again. */
    async forget(tx: Transaction, userId: string) {
      await tx.delete(usernameChanges).where(eq(usernameChanges.userId, userId))
      await tx.delete(entitlements).where(eq(entitlements.userId, userId))
      await requestSync(tx, userId)
    },

    async dataOf(userId: string) {
      const rows = await db
        .select({
          productId: entitlements.productId,
          until: entitlements.until,
          reason: entitlements.reason,
          tradingViewUsername: entitlements.username,
          checkedAt: entitlements.checkedAt,
          withheldSince: entitlements.withheldSince,
        })
        .from(entitlements)
        .where(eq(entitlements.userId, userId))
      const changes = await db
        .select({ from: usernameChanges.fromKey, to: usernameChanges.toKey, at: usernameChanges.at })
        .from(usernameChanges)
        .where(eq(usernameChanges.userId, userId))
      return { entitlements: rows, tradingViewUsernameChanges: changes }
    },
  }
}

/** Stores what this person's purchases give, for each product. */
async function recomputeAt(at: Date, tx: Transaction, userId: string) {
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
      // A purchase after everything has ended is a new start.
      withheldSince: paid.some(({ status }) => isLive(status)) ? (before?.withheldSince ?? null) : null,
      ...(after && !before?.reason ? { wantedSince: at } : {}),
    }
    await tx
      .insert(entitlements)
      .values({ userId, productId, ...values })
      .onConflictDoUpdate({ target: [entitlements.userId, entitlements.productId], set: values })
  }
}
