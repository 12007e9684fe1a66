import { and, eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { access, isLivePurchase, purchases, tvConnection, users } from '#server/database/schema.ts'
import { entitlementOf } from '#server/features/selling/purchases/purchases.ts'
import { change } from './rows.ts'
import { type AccessRow, factsOf, next } from './rules.ts'

export async function owns(db: Database, userId: string, productId: string): Promise<boolean> {
  const isTheirs = and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase)
  return (await db.$count(purchases, isTheirs)) > 0
}

/** Recomputes a person's access from their purchases. Locks the person. */
export async function recompute(
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
  const bought = await tx.select().from(purchases).where(eq(purchases.userId, userId))
  const known = await tx.select().from(access).where(eq(access.userId, userId)).for('update')
  const rows: AccessRow[] = []
  for (const productId of new Set([...bought, ...known].map((each) => each.productId))) {
    const paid = bought.filter((purchase) => purchase.productId === productId)
    const row = known.find((each) => each.productId === productId)
    const current = row?.reason ? { until: row.until, reason: row.reason } : null
    const after = entitlementOf(paid, settings, current)
    if (!row && !after) continue
    const before = row ?? (await begin(tx, context, userId, productId))
    rows.push(await store(tx, context, before, after ?? { reason: null, until: null }, served.has(productId)))
  }
  return rows
}

async function begin(
  tx: Transaction,
  { now }: Pick<Context, 'now'>,
  userId: string,
  productId: string,
): Promise<AccessRow> {
  const [row] = await tx.insert(access).values({ userId, productId, stateSince: now() }).returning()
  if (!row) throw new Error(`No access could be begun for ${userId}`)
  return row
}

async function store(
  tx: Transaction,
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  before: AccessRow,
  { reason, until }: Pick<AccessRow, 'reason' | 'until'>,
  hasConnector: boolean,
): Promise<AccessRow> {
  const row = { ...before, reason, until }
  const at = context.now()
  const event = reason === null ? (before.reason === null ? undefined : 'ended') : 'paid'
  const step = event && next(event, factsOf(row, hasConnector, at))
  if (event && (step || (before.reason === null) !== (reason === null)))
    return change(
      tx,
      context,
      before,
      { event, to: step?.to ?? before.state },
      {
        reason,
        until,
        ...(step?.to === 'unlocking' ? { askedAt: at } : {}),
        // Restarts the time in this state, because the access now waits to be locked.
        ...(event === 'ended' ? { stateSince: at } : {}),
      },
    )
  if (before.reason === reason && before.until?.getTime() === until?.getTime()) return before
  await tx
    .update(access)
    .set({ reason, until, version: before.version + 1 })
    .where(eq(access.id, before.id))
  return { ...row, version: before.version + 1 }
}
