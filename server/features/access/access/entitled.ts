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

/** Locks the person. Returns all rows of their access. `servedProducts` are the ids of those that the connector unlocks. */
export async function recomputeAccess(
  tx: Transaction,
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  userId: string,
  servedProducts: ReadonlySet<string>,
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
  const productIds = new Set([...boughtPurchases, ...existingRows].map((record) => record.productId))
  for (const productId of productIds) {
    const productPurchases = boughtPurchases.filter((purchase) => purchase.productId === productId)
    const existingRow = existingRows.find((row) => row.productId === productId)
    const storedEntitlement = existingRow?.reason ? { until: existingRow.until, reason: existingRow.reason } : null
    const entitlement = entitlementOf(productPurchases, settings, storedEntitlement)
    if (!existingRow && !entitlement) continue
    const row = existingRow ?? (await insertRow(tx, context, userId, productId))
    const newValues = entitlement ?? { reason: null, until: null }
    rows.push(await storeEntitlement(tx, context, row, newValues, servedProducts.has(productId)))
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

/** Returns `paid` for buyers who already were entitled, too: an unlock that could not start before may start now. */
function entitlementEvent(reasonBefore: AccessRow['reason'], reason: AccessRow['reason']) {
  if (reason !== null) return 'paid' as const
  return reasonBefore === null ? undefined : ('ended' as const)
}

/** Moves the state if the entitlement begins or ends. */
async function storeEntitlement(
  tx: Transaction,
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  row: AccessRow,
  { reason, until }: Pick<AccessRow, 'reason' | 'until'>,
  hasConnector: boolean,
): Promise<AccessRow> {
  const at = context.now()
  const event = entitlementEvent(row.reason, reason)
  const step = event && nextStep(event, factsOf({ ...row, reason, until }, hasConnector, at))
  const beginsOrEnds = (row.reason === null) !== (reason === null)
  if (event && (step || beginsOrEnds)) {
    const changes: Partial<AccessRow> = { reason, until }
    if (step?.to === 'unlocking') changes.askedAt = at
    // Restarts the time in this state, because the access waits to be locked from here on.
    if (event === 'ended') changes.stateSince = at
    return changeAccess(tx, context, row, { event, to: step?.to ?? row.state }, changes)
  }

  const isUnchanged = row.reason === reason && row.until?.getTime() === until?.getTime()
  if (isUnchanged) return row
  const changes = { reason, until, version: row.version + 1 }
  await tx.update(access).set(changes).where(eq(access.id, row.id))
  return { ...row, ...changes }
}
