import { afterAll, beforeAll, expect, test } from 'vitest'
import { assets } from '#contract/access/assets.ts'
import { privatePackage } from '#contract/access/package.ts'
import { settings } from '#contract/admin/settings.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

const links = {
  indicatorUrl: 'https://www.tradingview.com/script/indicator/',
  strategyUrl: 'https://www.tradingview.com/script/strategy/',
}

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
  await (await shop.admin()).call(settings.adminSaveLinks, { slug: 'rebound-sigma-pro', ...links })
})
afterAll(() => shop.close())

test.for(['active', 'pending_cancel', 'past_due'] as const)(
  'the owner of a purchase that is %s gets the package and the list',
  async (status) => {
    const owner = await shop.user()
    await bookPurchase(shop.connection, owner.user.id, { status })
    const shownPackage = await owner.call(privatePackage.show, {})
    expect(shownPackage).toMatchObject(links)
    expect(shownPackage.setupNotes.length).toBeGreaterThan(0)
    expect(shownPackage.quickInstructions.length).toBeGreaterThan(0)
    expect(await owner.call(assets.list, {})).toEqual([])
  },
)

test.for(['missing', 'cancelled', 'expired'] as const)(
  'package and list are refused if the purchase is %s',
  async (status) => {
    const visitor = await shop.user()
    if (status !== 'missing') await bookPurchase(shop.connection, visitor.user.id, { status })
    await expect(visitor.call(privatePackage.show, {})).rejects.toMatchObject({ status: 403 })
    await expect(visitor.call(assets.list, {})).rejects.toMatchObject({ status: 403 })
  },
)
