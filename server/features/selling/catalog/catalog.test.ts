import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { customers } from '#contract/desk/customers.ts'
import { prices } from '#contract/selling/prices.ts'
import { paths } from '#server/paths.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { readProductFile } from './product-file.ts'

const path = 'content/products/rebound-sigma-pro.md'
const source = readFileSync(join(paths.products, 'rebound-sigma-pro.md'), 'utf8')

test('a product is what its file says', () => {
  const { text, listed, package: forOwners, ...product } = readProductFile(path, source)
  expect(product).toEqual({
    slug: 'rebound-sigma-pro',
    name: 'Rebound Sigma Pro',
    state: 'on sale',
    order: 100,
    prices: { monthly: 3900, yearly: 39000 },
    regular: { monthly: 4900, yearly: 49000 },
  })
  expect(forOwners.setupNotes).toHaveLength(4)
  expect(forOwners.quickInstructions).toHaveLength(5)
  expect(listed).toMatchObject({ list: 'Rebound List', drawings: 'rebound', image: null })
  expect(text.facts).toHaveLength(6)
  expect(text.facts[0]).toEqual({ name: 'Platform', value: 'TradingView' })
  expect(text.benefits.items).toHaveLength(6)
  expect(text.steps.items).toHaveLength(3)
  expect(text.contents.items).toHaveLength(8)
  expect(text.questions).toHaveLength(8)
})

test.each([
  ['monthly: $39', 'monthly: 39 dollars', 4, '“monthly” is “39 dollars”, but must be a price like $39 or $39.50'],
  ['monthly: $39', 'price: $39', 4, '“price” is none of name, state, order'],
  ['yearly: $390', 'monthly: $40', 5, '“monthly” is there twice'],
  ['state: on sale', 'state: sold', 3, '“state” is “sold”, but must be on sale, or coming, or not listed'],
  ['name: Rebound Sigma Pro\n', '', 12, '“name” is missing above this line'],
  ['- Chart: Daily', '- Daily', 27, 'a fact has a name and a value'],
  ['## Key Benefits', '## Benefits', 32, '“Benefits” is none of the sections Card, Facts'],
  ['drawings: rebound\n', '', 77, 'the chart needs a picture'],
])('a file with %j changed to %j does not open a shop, and says where to look', (before, after, line, says) => {
  expect(() => readProductFile(path, source.replace(before, after))).toThrow(`${path}, line ${line}: ${says}`)
})

test('a process names a product that a newer one has added since it started', async () => {
  await using shop = await openShop()
  const { rows } = await shop.connection.pool.query<{ id: string }>(
    `insert into products (slug, name) values ('trend-compass', 'Trend Compass') returning id`,
  )
  const buyer = await shop.user()
  const productId = rows[0]?.id ?? ''
  await bookPurchase(shop.connection, buyer.user.id, { productId })
  const history = await (await shop.admin()).call(customers.adminTimeline, { id: buyer.user.id })
  expect(JSON.stringify(history)).toContain('Trend Compass')
})

test('each product has its own links, as its file says', async () => {
  const products = mkdtempSync(join(tmpdir(), 'products-'))
  cpSync(paths.products, products, { recursive: true })
  const own = 'state: on sale\norder: 200\nindicator: https://www.tradingview.com/script/second'
  writeFileSync(join(products, 'second.md'), source.replace('state: on sale', own))
  await using shop = await openShop({ products })
  const [first, second] = await (await shop.admin()).call(prices.adminProducts, {})
  const buyer = await shop.user()
  const owner = await shop.user()
  await bookPurchase(shop.connection, owner.user.id, { productId: second?.id ?? '' })
  await bookPurchase(shop.connection, buyer.user.id, { productId: first?.id ?? '' })
  const links = await owner.call(privatePackage.show, { product: 'second' })
  expect(links.indicatorUrl).toBe('https://www.tradingview.com/script/second')
  const theirs = await buyer.call(privatePackage.show, {})
  expect(theirs.indicatorUrl).toBe(shop.config.package.indicatorUrl)
})
