import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { customers } from '#contract/admin/customers.ts'
import { settings } from '#contract/admin/settings.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { prices } from '#contract/selling/prices.ts'
import { paths } from '#server/paths.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { readProductFile } from './product-file.ts'

const path = 'content/products/rebound-sigma-pro.md'
const source = readFileSync(join(paths.products, 'rebound-sigma-pro.md'), 'utf8')

test('a product is read from its file', () => {
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
  ['name: Rebound Sigma Pro\n', '', 15, '“name” is missing above this line'],
  ['- Chart: Daily', '- Daily', 30, 'a fact has a name and a value'],
  ['## Key Benefits', '## Benefits', 35, '“Benefits” is none of the sections Card, Facts'],
  ['drawings: rebound\n', '', 80, 'the chart needs a picture'],
])('a product file with %j changed to %j is refused, and the error names the line', (valid, faulty, line, message) => {
  expect(() => readProductFile(path, source.replace(valid, faulty))).toThrow(`${path}, line ${line}: ${message}`)
})

test('a process finds the name of a product that a newer process has added', async () => {
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

test('all faults of a product file are reported at once, in the order of its lines', () => {
  const broken = source
    .replace('monthly: $39', 'monthly: soon')
    .replace('name: Rebound Sigma Pro\n', '')
    .replace('## Terms', '## Conditions')
    .replace('- Chart: Daily', '- Daily')
  const readBroken = () => readProductFile(path, broken)
  for (const message of [
    '“monthly” is “soon”',
    '“name” is missing',
    '“Conditions” is none of',
    '“## Terms” is missing',
  ])
    expect(readBroken).toThrow(message)
  expect(readBroken).toThrow(/line 3: [^]*line 15: [^]*line 29: a fact/)
})

test('a second product leaves the first unchanged, and each has separate links', async () => {
  await using oneProductShop = await openShop()
  const admin = await oneProductShop.admin()
  const savedLinks = { indicatorUrl: 'https://www.tradingview.com/script/first', strategyUrl: '' }
  await admin.call(settings.adminSaveLinks, { slug: 'rebound-sigma-pro', ...savedLinks })
  const buyer = await oneProductShop.user()
  await bookPurchase(oneProductShop.connection, buyer.user.id)

  // The second product's name comes first in the alphabet.
  const secondFile = source
    .replace('name: Rebound Sigma Pro', 'name: Alpha Tool')
    .replace('order: 100\n', '')
    .replace(/^indicator: .*$/m, 'indicator: https://www.tradingview.com/script/second')
    .replace(/^strategy: .*\n/m, '')
  await using shop = await openShop({
    productFiles: { 'alpha-tool.md': secondFile },
    databaseUrl: oneProductShop.config.databaseUrl ?? '',
  })
  const seller = await shop.admin()
  const listedProducts = await seller.call(prices.adminProducts, {})
  expect(listedProducts.map(({ slug }) => slug)).toEqual(['rebound-sigma-pro', 'alpha-tool'])
  const linksOf = async (email: string, password: string, product?: string) => {
    const visitor = shop.visitor()
    await visitor.call(accounts.login, { email, password })
    return visitor.call(privatePackage.show, { product })
  }
  expect(await linksOf(buyer.user.email, buyer.password)).toMatchObject({ indicatorUrl: savedLinks.indicatorUrl })
  const owner = await shop.user()
  await bookPurchase(shop.connection, owner.user.id, { productId: listedProducts[1]?.id ?? '' })
  expect(await owner.call(privatePackage.show, { product: 'alpha-tool' })).toMatchObject({
    indicatorUrl: 'https://www.tradingview.com/script/second',
    strategyUrl: '',
  })
  const { links, problems } = await seller.call(settings.adminShow, {})
  expect(links.map(({ name, indicatorUrl }) => [name, indicatorUrl])).toEqual([
    ['Rebound Sigma Pro', savedLinks.indicatorUrl],
    ['Alpha Tool', 'https://www.tradingview.com/script/second'],
  ])
  expect(problems.map(({ text }) => text).join()).not.toContain('Alpha Tool has no link')
})
