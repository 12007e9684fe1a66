import { and, asc, count, eq, gte, inArray, sql } from 'drizzle-orm'
import { newsDays } from '#contract/access/assets.ts'
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
  left(userId: string): Promise<{ ticker: string }[]>
  adminLeft(): Promise<{ ticker: string }[]>
  adminList(): Promise<AssetRow[]>
  /** At position `sortOrder`, starting from 1; at the end if it's missing or too large. */
  add(actor: Actor, productId: string, asset: NewAsset & { sortOrder?: number | undefined }): Promise<void>
  import(actor: Actor, productId: string, pasted: NewAsset[]): Promise<{ added: number; skipped: number }>
  move(actor: Actor, id: string, position: number): Promise<void>
  switch(actor: Actor, id: string, isActive: boolean): Promise<void>
  describe(actor: Actor, id: string, note: string | undefined): Promise<void>
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
  /** Positions are assigned one at a time, so two admins never assign the same one. */
  const inOrder = <Result>(change: (tx: Transaction) => Promise<Result>) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`lock table ${recommendedAssets} in share row exclusive mode`)
      return change(tx)
    })

  const change = (
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
        .returning({ ticker: recommendedAssets.ticker })
      if (!asset) throw notFound('Asset')
      await audit.record(tx, actor, { action, subject: asset.ticker })
    })

  /** Throws for someone who owns no product with a list. */
  async function ownedLists(userId: string) {
    const lists = catalog.products().filter(({ listed }) => listed.list !== null)
    const owned = await Promise.all(lists.map(({ id }) => owns(userId, id)))
    const ownedOnes = lists.filter((_, index) => owned[index])
    if (ownedOnes.length === 0) {
      const ownersOnly = lists.map(({ listed, name }) => `The ${listed.list} is for owners of ${name}`)
      throw new Refusal(403, 'not-an-owner', ownersOnly.join('. ') || 'There is no list of symbols')
    }
    return ownedOnes
  }

  return {
    async list(userId) {
      const ownLists = await ownedLists(userId)
      return db
        .select()
        .from(recommendedAssets)
        .where(
          and(
            inArray(
              recommendedAssets.productId,
              ownLists.map(({ id }) => id),
            ),
            eq(recommendedAssets.isActive, true),
          ),
        )
        .orderBy(asc(recommendedAssets.productId), asc(recommendedAssets.sortOrder))
    },

    left: (userId) => ownedLists(userId).then(() => findLeft(db, now())),

    adminLeft: () => findLeft(db, now()),

    adminList: () =>
      db.select().from(recommendedAssets).orderBy(asc(recommendedAssets.sortOrder), asc(recommendedAssets.id)),

    add: (actor, productId, asset) =>
      inOrder(async (tx) => {
        if ((await known(tx, catalog.byId(productId), [asset.ticker])).size > 0)
          throw conflict('already-listed', `${asset.ticker} is already on the list`)
        await append(tx, now(), productId, [asset])
        const ids = await idsInOrder(tx, productId)
        const place = Math.max(asset.sortOrder ?? ids.length, 1) - 1
        await renumber(tx, ids.slice(0, -1).toSpliced(place, 0, ...ids.slice(-1)))
        await audit.record(tx, actor, { action: 'asset.add', subject: asset.ticker })
      }),

    import: (actor, productId, pasted) =>
      inOrder(async (tx) => {
        const once = [...new Map(pasted.map((asset) => [asset.ticker, asset])).values()]
        const there = await known(
          tx,
          catalog.byId(productId),
          once.map(({ ticker }) => ticker),
        )
        const added = once.filter(({ ticker }) => !there.has(ticker))
        await append(tx, now(), productId, added)
        await audit.record(tx, actor, {
          action: 'asset.import',
          subject: `${added.length} assets`,
          detail: { tickers: added.map(({ ticker }) => ticker) },
        })
        return { added: added.length, skipped: pasted.length - added.length }
      }),

    move: (actor, id, position) =>
      inOrder(async (tx) => {
        const [asset] = await tx.select().from(recommendedAssets).where(eq(recommendedAssets.id, id))
        if (!asset) throw notFound('Asset')
        const others = (await idsInOrder(tx, asset.productId)).filter((other) => other !== id)
        await renumber(tx, others.toSpliced(position - 1, 0, id))
        await audit.record(tx, actor, {
          action: 'asset.move',
          subject: asset.ticker,
          detail: { from: asset.sortOrder, to: Math.min(position, others.length + 1) },
        })
      }),

    switch: (actor, id, isActive) => change(actor, id, { isActive }, isActive ? 'asset.show' : 'asset.hide'),

    describe: (actor, id, note) => change(actor, id, { note: note || null }, 'asset.note'),

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
      inOrder(async (tx) => {
        const [removed] = await tx.delete(recommendedAssets).where(eq(recommendedAssets.id, id)).returning()
        if (!removed) throw notFound('Asset')
        await renumber(tx, await idsInOrder(tx, removed.productId))
        await audit.record(tx, actor, { action: 'asset.delete', subject: removed.ticker })
      }),
  }
}

/** Symbols that were deleted or hidden lately, from the audit log: a deleted one has no row anymore. */
function findLeft(db: Database, now: Date) {
  const since = new Date(now.getTime() - newsDays * 86_400_000)
  return db
    .selectDistinct({ ticker: auditLog.subject })
    .from(auditLog)
    .where(
      and(
        gte(auditLog.at, since),
        inArray(auditLog.action, ['asset.delete', 'asset.hide']),
        sql`not exists (select from ${recommendedAssets} where ticker = ${auditLog.subject} and is_active)`,
      ),
    )
    .limit(20)
}

/** An earlier time if one is given; a later one would be a mistake. */
const notAfter = (at: Date, given: string | undefined) => (given && new Date(given) < at ? new Date(given) : at)

async function append(tx: Transaction, at: Date, productId: string, added: NewAsset[]) {
  const [{ taken } = { taken: 0 }] = await tx
    .select({ taken: count() })
    .from(recommendedAssets)
    .where(eq(recommendedAssets.productId, productId))
  if (added.length === 0) return
  await tx
    .insert(recommendedAssets)
    .values(
      added.map(({ ticker, note, isActive = true, reviewedAt, createdAt }, index) => ({
        productId,
        ticker,
        note: note || null,
        isActive,
        sortOrder: taken + 1 + index,
        reviewedAt: notAfter(at, reviewedAt),
        createdAt: notAfter(at, createdAt),
      })),
    )
}

async function known(tx: Transaction, product: Product | undefined, tickers: string[]) {
  if (!product) throw notFound('Product')
  const rows = await tx
    .select({ ticker: recommendedAssets.ticker })
    .from(recommendedAssets)
    .where(and(eq(recommendedAssets.productId, product.id), inArray(recommendedAssets.ticker, tickers)))
  return new Set(rows.map(({ ticker }) => ticker))
}

/** Leaves no gaps, so "count + 1" is always the next free position. */
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
