import { and, eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { access, isLivePurchase, purchases, tvConnection, users } from '#server/database/schema.ts'
import { entitlementOf } from '#server/features/selling/purchases/purchases.ts'
import { changeAccess } from './rows.ts'
import { type AccessRow, factsOf, nextStep } from './rules.ts'

export async function owns(db: Database, userId: string, productId: string): Promise<boolean> {
  const isTheirs = and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase)
  return (await db.$count(purchases, isTheirs)) > 0
}

/** Locks the person. Returns all rows of their access. */
export async function recomputeAccess(
  tx: Transaction,
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  userId: string,
  served: ReadonlySet<string>,
): Promise<AccessRow[]> {
  const [person] = await tx
    .select({ deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update')
  if (!person || person.deletedAt) return []
  const [settings = { freezesAccessDuringDispute: true }] = await tx
    .select({ freezesAccessDuringDispute: tvConnection.freezesAccessDuringDispute })
    .from(tvConnection)
  const boughtPurchases = await tx.select().from(purchases).where(eq(purchases.userId, userId))
  const existingRows = await tx.select().from(access).where(eq(access.userId, userId)).for('update')
  const rows: AccessRow[] = []
  for (const productId of new Set([...boughtPurchases, ...existingRows].map((each) => each.productId))) {
    const ofProduct = boughtPurchases.filter((purchase) => purchase.productId === productId)
    const row = existingRows.find((existing) => existing.productId === productId)
    const current = row?.reason ? { until: row.until, reason: row.reason } : null
    const after = entitlementOf(ofProduct, settings, current)
    if (!row && !after) continue
    const before = row ?? (await insertRow(tx, context, userId, productId))
    const entitlement = after ?? { reason: null, until: null }
    rows.push(await storeEntitlement(tx, context, before, entitlement, served.has(productId)))
  }
  return rows
}

async function insertRow(
  tx: Transaction,
  { now }: Pick<Context, 'now'>,
  userId: string,
  productId: string,
): Promise<AccessRow> {
  const [row] = await tx.insert(access).values({ userId, productId, stateSince: now() }).returning()
  if (!row) throw new Error(`No access could be begun for ${userId}`)
  return row
}

function entitlementEvent(reasonBefore: AccessRow['reason'], reason: AccessRow['reason']) {
  if (reason !== null) return 'paid' as const
  return reasonBefore === null ? undefined : ('ended' as const)
}

/** Moves the state if the entitlement begins or ends. */
async function storeEntitlement(
  tx: Transaction,
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  before: AccessRow,
  { reason, until }: Pick<AccessRow, 'reason' | 'until'>,
  hasConnector: boolean,
): Promise<AccessRow> {
  const row = { ...before, reason, until }
  const at = context.now()
  const event = entitlementEvent(before.reason, reason)
  const step = event && nextStep(event, factsOf(row, hasConnector, at))
  const beginsOrEnds = (before.reason === null) !== (reason === null)
  if (event && (step || beginsOrEnds))
    return changeAccess(
      tx,
      context,
      before,
      { event, to: step?.to ?? before.state },
      {
        reason,
        until,
        ...(step?.to === 'unlocking' ? { askedAt: at } : {}),
        // Restarts the time in this state, because the access waits to be locked from here on.
        ...(event === 'ended' ? { stateSince: at } : {}),
      },
    )

  const isUnchanged = before.reason === reason && before.until?.getTime() === until?.getTime()
  if (isUnchanged) return before
  await tx
    .update(access)
    .set({ reason, until, version: before.version + 1 })
    .where(eq(access.id, before.id))
  return { ...row, version: before.version + 1 }
}
