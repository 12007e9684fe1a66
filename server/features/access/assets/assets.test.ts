import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { assets } from '#contract/access/assets.ts'
import { assetsAdmin } from '#contract/access/assets-admin.ts'
import { audit } from '#contract/admin/activity.ts'
import { products, purchases, recommendedAssets } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

const productId = reboundSigmaPro.id

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())
beforeEach(async () => {
  await shop.connection.db.delete(recommendedAssets)
})

const add = (ticker: string, note?: string) => admin.call(assetsAdmin.add, { productId, ticker, note })
const list = () => admin.call(assetsAdmin.list, {})
const tickers = async () => (await list()).map(({ ticker }) => ticker)
const idOf = async (ticker: string) => {
  const found = (await list()).find((asset) => asset.ticker === ticker)
  return found?.id ?? randomUUID()
}

describe('the Rebound List', () => {
  test('puts each asset in the next position, even if the call names a later one, and in upper case', async () => {
    await admin.call(assetsAdmin.add, { productId, ticker: ' aapl ', note: 'Strong', sortOrder: 77 })
    await add('nasdaq:msft')
    expect(await list()).toMatchObject([
      { ticker: 'AAPL', note: 'Strong', sortOrder: 1, isActive: true },
      { ticker: 'NASDAQ:MSFT', note: null, sortOrder: 2 },
    ])
  })

  test('puts an asset where the call says, or at the end by default', async () => {
    await add('A')
    await add('B')
    await admin.call(assetsAdmin.add, { productId, ticker: 'FIRST', note: null, sortOrder: 1 })
    await admin.call(assetsAdmin.add, { productId, ticker: 'MIDDLE', sortOrder: 3 })
    await add('LAST')
    expect(await list()).toMatchObject([
      { ticker: 'FIRST', note: null, sortOrder: 1 },
      { ticker: 'A', sortOrder: 2 },
      { ticker: 'MIDDLE', sortOrder: 3 },
      { ticker: 'B', sortOrder: 4 },
      { ticker: 'LAST', sortOrder: 5 },
    ])
  })

  test('hides an inactive asset from owners until an admin activates it', async () => {
    const owner = await shop.buyer()
    const seen = async () => (await owner.call(assets.list, {})).map(({ ticker }) => ticker)
    await add('SHOWN')
    await admin.call(assetsAdmin.add, { productId, ticker: 'LATER', isActive: false })
    expect(await list()).toMatchObject([{ isActive: true }, { ticker: 'LATER', isActive: false }])
    expect(await seen()).toEqual(['SHOWN'])
    await admin.call(assetsAdmin.switch, { id: await idOf('LATER'), isActive: true })
    await admin.call(assetsAdmin.switch, { id: await idOf('SHOWN'), isActive: false })
    expect(await seen()).toEqual(['LATER'])
    const missing = { id: randomUUID(), isActive: true }
    await expect(admin.call(assetsAdmin.switch, missing)).rejects.toMatchObject({ status: 404 })
  })

  test('has a note that can be changed and removed', async () => {
    await add('SPY', 'Strong')
    const id = await idOf('SPY')
    await admin.call(assetsAdmin.note, { id, note: ' Weaker now ' })
    expect(await list()).toMatchObject([{ note: 'Weaker now' }])
    await admin.call(assetsAdmin.note, { id, note: '' })
    expect(await list()).toMatchObject([{ note: null }])
    const noteOnMissingAsset = admin.call(assetsAdmin.note, { id: randomUUID(), note: 'x' })
    await expect(noteOnMissingAsset).rejects.toMatchObject({ status: 404 })
  })

  test('refuses a ticker that’s already listed and changes nothing', async () => {
    await add('SPY')
    await expect(add('spy')).rejects.toMatchObject({ status: 409, serverMessage: 'SPY is already on the list' })
    expect(await tickers()).toEqual(['SPY'])
  })

  test('gives twenty assets added at once twenty positions', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(`T${index}`)))
    expect((await list()).map(({ sortOrder }) => sortOrder)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  test('accepts one of twenty identical tickers', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => add('TSLA')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await tickers()).toEqual(['TSLA'])
  })

  test('refuses a product we don’t sell', async () => {
    await expect(admin.call(assetsAdmin.add, { productId: randomUUID(), ticker: 'SPY' })).rejects.toMatchObject({
      status: 404,
      serverMessage: 'Product not found',
    })
  })

  test.for(['^GSPC', 'BRK B', 'M&M', 'SPY*2', 'EURUSD=X', '.DJI'])('takes %s', async (ticker) => {
    await add(ticker)
    expect(await tickers()).toEqual([ticker])
  })

  test.for(['', ' ', '-A', '=1+1', '+A', '@A', 'A'.repeat(31), '<b>'])('refuses %j as a ticker', async (ticker) => {
    await expect(add(ticker)).rejects.toMatchObject({ status: 400 })
    expect(await list()).toEqual([])
  })

  test('can be reordered', async () => {
    for (const ticker of ['A', 'B', 'C', 'D']) await add(ticker)
    await admin.call(assetsAdmin.move, { id: await idOf('D'), position: 1 })
    expect(await tickers()).toEqual(['D', 'A', 'B', 'C'])
    await admin.call(assetsAdmin.move, { id: await idOf('D'), position: 99 })
    expect(await tickers()).toEqual(['A', 'B', 'C', 'D'])
    expect((await list()).map(({ sortOrder }) => sortOrder)).toEqual([1, 2, 3, 4])
  })

  test('closes the gap that a removed asset leaves', async () => {
    for (const ticker of ['A', 'B', 'C']) await add(ticker)
    await admin.call(assetsAdmin.delete, { id: await idOf('A') })
    await add('D')
    expect((await list()).map(({ ticker, sortOrder }) => [ticker, sortOrder])).toEqual([
      ['B', 1],
      ['C', 2],
      ['D', 3],
    ])
  })

  test('says if another admin has deleted the asset already', async () => {
    await add('A')
    const id = await idOf('A')
    await admin.call(assetsAdmin.delete, { id })
    const assetNotFound = { status: 404, serverMessage: 'Asset not found' }
    await expect(admin.call(assetsAdmin.delete, { id })).rejects.toMatchObject(assetNotFound)
    await expect(admin.call(assetsAdmin.move, { id, position: 1 })).rejects.toMatchObject(assetNotFound)
  })

  test('imports a pasted list and leaves existing entries alone', async () => {
    await add('SPY', 'Mine')
    const pasted = [
      { ticker: 'aapl', note: 'Strong trend' },
      { ticker: 'SPY', note: 'other' },
      { ticker: 'msft', note: 'Cloud' },
      { ticker: 'AAPL' },
    ]
    expect(await admin.call(assetsAdmin.import, { productId, assets: pasted })).toEqual({ added: 2, skipped: 2 })
    expect(await list()).toMatchObject([
      { ticker: 'SPY', note: 'Mine' },
      { ticker: 'AAPL', sortOrder: 2 },
      { ticker: 'MSFT', note: 'Cloud', sortOrder: 3 },
    ])
  })

  test('remembers when it was reviewed', async () => {
    await add('A')
    shop.clock.advance({ days: 20 })
    admin = await shop.admin()
    const timeBefore = shop.clock.now().toISOString()
    await admin.call(assetsAdmin.review, {})
    const [asset] = await list()
    expect(asset && asset.reviewedAt >= timeBefore).toBe(true)
  })

  test('an asset that is added again after its deletion keeps its review date', async () => {
    await add('A')
    const [listedAsset] = await list()
    if (!listedAsset) throw new Error('A is not on the list')
    const { id, createdAt: _, ...asset } = listedAsset
    shop.clock.advance({ minutes: 5 })
    await admin.call(assetsAdmin.delete, { id })
    await admin.call(assetsAdmin.add, asset)
    expect(await list()).toMatchObject([asset])
    const tomorrow = new Date(shop.clock.now().getTime() + 86_400_000).toISOString()
    await admin.call(assetsAdmin.add, { productId, ticker: 'B', reviewedAt: tomorrow })
    expect((await list()).every(({ reviewedAt }) => reviewedAt < tomorrow)).toBe(true)
  })

  test('is for owners only', async () => {
    await add('SPY', 'Index')
    const buyer = await shop.user()
    await expect(buyer.call(assets.list, {})).rejects.toMatchObject({ status: 403 })
    await shop.connection.db
      .insert(purchases)
      .values({ userId: buyer.user.id, productId, billingType: 'monthly', price: 3900, status: 'past_due' })
    expect(await buyer.call(assets.list, {})).toMatchObject([{ ticker: 'SPY', note: 'Index' }])
    await shop.connection.db.update(purchases).set({ status: 'expired' })
    await expect(buyer.call(assets.list, {})).rejects.toMatchObject({ status: 403 })
  })

  test('shows owners the recently removed symbols, unless they were added again', async () => {
    const buyer = await shop.user()
    await expect(buyer.call(assets.recentlyRemoved, {})).rejects.toMatchObject({ status: 403 })
    await shop.connection.db
      .insert(purchases)
      .values({ userId: buyer.user.id, productId, billingType: 'monthly', price: 3900, status: 'active' })
    for (const ticker of ['GONE', 'BACK']) {
      await add(ticker)
      const listed = await admin.call(assetsAdmin.list, {})
      await admin.call(assetsAdmin.delete, { id: listed.find((asset) => asset.ticker === ticker)?.id ?? '' })
    }
    await add('BACK')
    const removedAssets = await buyer.call(assets.recentlyRemoved, {})
    expect(removedAssets).toContainEqual({ ticker: 'GONE' })
    expect(removedAssets).not.toContainEqual({ ticker: 'BACK' })
    expect(await admin.call(assetsAdmin.recentlyRemoved, {})).toEqual(removedAssets)
  })

  test('shows owners no removed symbols of a product they do not own', async () => {
    const { db } = shop.connection
    const [otherProduct] = await db.insert(products).values({ slug: 'other', name: 'Other' }).returning()
    const [otherAsset] = await db
      .insert(recommendedAssets)
      .values({ productId: otherProduct?.id ?? '', ticker: 'ELSEWHERE', sortOrder: 1 })
      .returning()
    await admin.call(assetsAdmin.delete, { id: otherAsset?.id ?? '' })
    const buyer = await shop.user()
    await db
      .insert(purchases)
      .values({ userId: buyer.user.id, productId, billingType: 'monthly', price: 3900, status: 'active' })
    expect(await buyer.call(assets.recentlyRemoved, {})).not.toContainEqual({ ticker: 'ELSEWHERE' })
    expect(await admin.call(assetsAdmin.recentlyRemoved, {})).toContainEqual({ ticker: 'ELSEWHERE' })
  })

  test('logs every change in a searchable audit log', async () => {
    await add('QQQ')
    const page = await admin.callPage(audit.adminList, { q: 'qqq' })
    expect(page.items).toMatchObject([
      { action: 'asset.add', subject: 'QQQ', actorEmail: admin.user.email, ip: '127.0.0.1' },
    ])
    expect(await admin.call(audit.adminList, { q: '100%' })).toEqual([])
  })

  test('the audit log pages without losing or repeating an entry', async () => {
    for (const ticker of ['A', 'B', 'C', 'D', 'E']) await add(ticker)
    const all = await admin.call(audit.adminList, {})
    const seen: number[] = []
    let cursor: string | undefined
    do {
      const page = await admin.callPage(audit.adminList, { limit: 2, cursor })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next
    } while (cursor)
    expect(seen).toEqual(all.map(({ id }) => id))
  })

  test.for(['x', '!!', 'MTIz', Buffer.from('1 1; drop table').toString('base64url')])(
    'refuses the cursor %s',
    async (cursor) => {
      await expect(admin.call(audit.adminList, { cursor })).rejects.toMatchObject({ status: 400 })
    },
  )
})
