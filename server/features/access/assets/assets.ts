import { and, asc, eq, gte, inArray, sql } from 'drizzle-orm'
import { recentChangeDays } from '#contract/access/assets.ts'
import { dayMs } from '#contract/dates.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { auditLog, recommendedAssets } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Product } from '#server/features/selling/catalog/catalog.ts'
import type { AccessModule } from '../access/access.ts'

type AssetRow = typeof recommendedAssets.$inferSelect

/** The Rebound List: symbols that the seller recommends, in the seller's order. */
export type Assets = {
  list(userId: string): Promise<AssetRow[]>
  recentlyRemoved(userId: string): Promise<{ ticker: string }[]>
  adminRecentlyRemoved(): Promise<{ ticker: string }[]>
  adminList(): Promise<AssetRow[]>
  /** Adds an asset at position `sortOrder`, starting from 1. Without it, or if it is too large, adds at the end. */
  add(actor: Actor, productId: string, asset: NewAsset & { sortOrder?: number | undefined }): Promise<void>
  import(actor: Actor, productId: string, pasted: NewAsset[]): Promise<{ added: number; skipped: number }>
  move(actor: Actor, id: string, position: number): Promise<void>
  setActive(actor: Actor, id: string, isActive: boolean): Promise<void>
  setNote(actor: Actor, id: string, note: string | undefined): Promise<void>
  review(actor: Actor, productId?: string): Promise<void>
  remove(actor: Actor, id: string): Promise<void>
}

type AssetsContext = Pick<Context, 'db' | 'now' | 'audit' | 'catalog'>
type AssetsDeps = Pick<AccessModule, 'owns'>
type NewAsset = {
  ticker: string
  note?: string | null | undefined
  isActive?: boolean | undefined
  reviewedAt?: string | undefined
  createdAt?: string | undefined
}

export function createAssets({ db, now, audit, catalog }: AssetsContext, { owns }: AssetsDeps): Assets {
  /** Locks the table, so that two admins never assign the same position. */
  const withTableLocked = <Result>(change: (tx: Transaction) => Promise<Result>) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`lock table ${recommendedAssets} in share row exclusive mode`)
      return change(tx)
    })

  const updateAsset = (
    actor: Actor,
    id: string,
    values: { isActive: boolean } | { note: string | null },
    action: 'asset.hide' | 'asset.note' | 'asset.show',
  ) =>
    db.transaction(async (tx) => {
      const [asset] = await tx
        .update(recommendedAssets)
        .set(values)
        .where(eq(recommendedAssets.id, id))
        .returning({ ticker: recommendedAssets.ticker, productId: recommendedAssets.productId })
      if (!asset) throw notFound('Asset')
      await audit.record(tx, actor, { action, subject: asset.ticker, detail: await productDetail(asset.productId) })
    })

  const productDetail = async (productId: string) => ({ product: (await catalog.findRow(productId)).slug })

  /** Returns the ids of a person's products that have a list. Throws if there is none. */
  async function requireOwnedProductIds(userId: string) {
    const productsWithList = catalog.products().filter(({ listed }) => listed.list !== null)
    const ownedIds: string[] = []
    for (const { id } of productsWithList) if (await owns(userId, id)) ownedIds.push(id)
    if (ownedIds.length === 0) {
      const ownersOnly = productsWithList.map(({ listed, name }) => `The ${listed.list} is for owners of ${name}`)
      throw new Refusal(403, 'not-an-owner', ownersOnly.join('. ') || 'There is no list of symbols')
    }
    return ownedIds
  }

  return {
    async list(userId) {
      const productIds = await requireOwnedProductIds(userId)
      return db
        .select()
        .from(recommendedAssets)
        .where(and(inArray(recommendedAssets.productId, productIds), eq(recommendedAssets.isActive, true)))
        .orderBy(asc(recommendedAssets.productId), asc(recommendedAssets.sortOrder))
    },

    async recentlyRemoved(userId) {
      const ownedIds = await requireOwnedProductIds(userId)
      const ownedSlugs = catalog.products().flatMap(({ id, slug }) => (ownedIds.includes(id) ? slug : []))
      return findRecentlyRemoved(db, now(), ownedSlugs)
    },

    adminRecentlyRemoved: () => findRecentlyRemoved(db, now()),

    adminList: () =>
      db.select().from(recommendedAssets).orderBy(asc(recommendedAssets.sortOrder), asc(recommendedAssets.id)),

    add: (actor, productId, asset) =>
      withTableLocked(async (tx) => {
        if ((await findListedTickers(tx, catalog.findById(productId), [asset.ticker])).size > 0)
          throw conflict('already-listed', `${asset.ticker} is already on the list`)
        await append(tx, now(), productId, [asset])
        // Moves the new asset from the end to its position.
        const ids = await idsInOrder(tx, productId)
        const [otherIds, addedIds] = [ids.slice(0, -1), ids.slice(-1)]
        const index = Math.max(asset.sortOrder ?? ids.length, 1) - 1
        await renumber(tx, otherIds.toSpliced(index, 0, ...addedIds))
        await audit.record(tx, actor, { action: 'asset.add', subject: asset.ticker })
      }),

    import: (actor, productId, pasted) =>
      withTableLocked(async (tx) => {
        const byTicker = new Map(pasted.map((asset) => [asset.ticker, asset]))
        const listedTickers = await findListedTickers(tx, catalog.findById(productId), [...byTicker.keys()])
        const added = [...byTicker.values()].filter(({ ticker }) => !listedTickers.has(ticker))
        await append(tx, now(), productId, added)
        await audit.record(tx, actor, {
          action: 'asset.import',
          subject: `${added.length} assets`,
          detail: { tickers: added.map(({ ticker }) => ticker) },
        })
        return { added: added.length, skipped: pasted.length - added.length }
      }),

    move: (actor, id, position) =>
      withTableLocked(async (tx) => {
        const [asset] = await tx.select().from(recommendedAssets).where(eq(recommendedAssets.id, id))
        if (!asset) throw notFound('Asset')
        const otherIds = (await idsInOrder(tx, asset.productId)).filter((otherId) => otherId !== id)
        await renumber(tx, otherIds.toSpliced(position - 1, 0, id))
        await audit.record(tx, actor, {
          action: 'asset.move',
          subject: asset.ticker,
          detail: { from: asset.sortOrder, to: Math.min(position, otherIds.length + 1) },
        })
      }),

    setActive: (actor, id, isActive) => updateAsset(actor, id, { isActive }, isActive ? 'asset.show' : 'asset.hide'),

    setNote: (actor, id, note) => updateAsset(actor, id, { note: note || null }, 'asset.note'),

    review: (actor, productId) =>
      db.transaction(async (tx) => {
        const reviewed = await tx
          .update(recommendedAssets)
          .set({ reviewedAt: now() })
          .where(productId ? eq(recommendedAssets.productId, productId) : undefined)
          .returning({ id: recommendedAssets.id })
        await audit.record(tx, actor, { action: 'asset.review', subject: `${reviewed.length} assets` })
      }),

    remove: (actor, id) =>
      withTableLocked(async (tx) => {
        const [removed] = await tx.delete(recommendedAssets).where(eq(recommendedAssets.id, id)).returning()
        if (!removed) throw notFound('Asset')
        await renumber(tx, await idsInOrder(tx, removed.productId))
        const { ticker, productId } = removed
        await audit.record(tx, actor, {
          action: 'asset.delete',
          subject: ticker,
          detail: await productDetail(productId),
        })
      }),
  }
}

/** Reads the audit log, because a deleted symbol has no row. Without `productSlugs`, of all products. */
function findRecentlyRemoved(db: Database, now: Date, productSlugs?: string[]) {
  const since = new Date(now.getTime() - recentChangeDays * dayMs)
  const ofProducts = productSlugs && inArray(sql`${auditLog.detail} ->> 'product'`, productSlugs)
  return db
    .selectDistinct({ ticker: auditLog.subject })
    .from(auditLog)
    .where(
      and(
        gte(auditLog.at, since),
        inArray(auditLog.action, ['asset.delete', 'asset.hide']),
        ofProducts,
        sql`not exists (select from ${recommendedAssets} where ticker = ${auditLog.subject} and is_active)`,
      ),
    )
    .limit(20)
}

const pastDateOrNow = (now: Date, enteredDate: string | undefined) =>
  enteredDate && new Date(enteredDate) < now ? new Date(enteredDate) : now

async function append(tx: Transaction, now: Date, productId: string, added: NewAsset[]) {
  if (added.length === 0) return
  const listedCount = await tx.$count(recommendedAssets, eq(recommendedAssets.productId, productId))
  await tx
    .insert(recommendedAssets)
    .values(
      added.map(({ ticker, note, isActive = true, reviewedAt, createdAt }, index) => ({
        productId,
        ticker,
        note: note || null,
        isActive,
        sortOrder: listedCount + 1 + index,
        reviewedAt: pastDateOrNow(now, reviewedAt),
        createdAt: pastDateOrNow(now, createdAt),
      })),
    )
}

async function findListedTickers(tx: Transaction, product: Product | undefined, tickers: string[]) {
  if (!product) throw notFound('Product')
  const rows = await tx
    .select({ ticker: recommendedAssets.ticker })
    .from(recommendedAssets)
    .where(and(eq(recommendedAssets.productId, product.id), inArray(recommendedAssets.ticker, tickers)))
  return new Set(rows.map(({ ticker }) => ticker))
}

/** Numbers the assets without gaps, because `append` takes the number of assets plus 1 as the next free position. */
async function renumber(tx: Transaction, ids: string[]) {
  await tx.execute(sql`
    update ${recommendedAssets} set sort_order = place.number
    from unnest(${sql.param(ids)}::uuid[]) with ordinality as place (id, number)
    where ${recommendedAssets.id} = place.id and sort_order <> place.number`)
}

async function idsInOrder(tx: Transaction, productId: string) {
  const rows = await tx
    .select({ id: recommendedAssets.id })
    .from(recommendedAssets)
    .where(eq(recommendedAssets.productId, productId))
    .orderBy(asc(recommendedAssets.sortOrder))
  return rows.map(({ id }) => id)
}
