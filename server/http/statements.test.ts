import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '#contract/index.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { invoicesFor } from '#server/testing/invoices-for.ts'
import { endpoints } from '../testing/knock.ts'
import { lives } from '../testing/lives.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import type { Visitor } from '../testing/visitor.ts'
import { watchStatements } from '../testing/watch-statements.ts'

/** Number of statements that each read call sends to the database, including the one for session and user. */
const budgets: Record<string, number> = {
  'catalog.list': 1,
  'termsInForce.show': 1,
  'prices.adminProducts': 1,
  'accounts.loginPage': 0,
  'accounts.user': 1,
  'accounts.profile': 2,
  'accounts.devices': 2,
  'accounts.myData': 28,
  'billing.details': 4,
  'accountsAdmin.list': 2,
  'purchases.list': 2,
  'purchasesAdmin.list': 2,
  'purchasesAdmin.list, searched': 2,
  'access.mine': 4,
  'accessAdmin.counts': 2,
  'accessAdmin.people': 4,
  'accessAdmin.todo': 4,
  'privatePackage.show': 2,
  'reviews.list': 1,
  'reviews.mine': 4,
  'reviewsAdmin.list': 2,
  'assets.recentlyRemoved': 3,
  'assets.list': 3,
  'assetsAdmin.list': 2,
  'assetsAdmin.recentlyRemoved': 2,
  'declarationsAdmin.list': 2,
  'messages.adminList': 2,
  'newsletterAddresses.adminExport': 2,
  'newsletterAddresses.adminList': 2,
  'factors.show': 5,
  'jobs.adminList': 1,
  'logins.passkeyOptions': 0,
  'audit.adminList': 2,
  'bookkeeping.adminExportMonth': 2,
  'bookkeeping.adminExportTaxes': 2,
  'bookkeeping.adminMonths': 3,
  'bookkeeping.adminPayouts': 2,
  'bookkeeping.adminTaxes': 2,
  'overview.adminShow': 4,
  'overview.adminToday': 5,
  'figures.adminExport': 4,
  'figures.adminExportPayments': 2,
  'figures.adminMovements': 2,
  'figures.adminPayments': 2,
  'figures.adminShow': 6,
  'overview.adminNeeds': 11,
  'checklist.adminShow': 2,
  'search.adminFind': 2,
  'settings.adminShow': 1,
  'reminders.adminCount': 2,
  'stripeSetup.adminCheck': 2,
  'newsletters.adminAudiences': 3,
  'newsletters.adminList': 3,
  'serviceMessages.adminAudience': 4,
  'serviceMessages.adminList': 2,
  'prices.adminList': 3,
  'codes.adminList': 4,
  'takeover.adminList': 2,
  'tradingViewAdmin.meter': 6,
  'tradingViewAdmin.preview': 4,
  'tradingViewAdmin.runs': 2,
  'tradingViewAdmin.scripts': 3,
  'tradingViewAdmin.show': 4,
  'tradingViewAdmin.foreignEntries': 2,
}

const queries: Record<string, string> = {
  'search.adminFind': '?q=ada',
  'bookkeeping.adminExportMonth': '?period=2026-11',
  'bookkeeping.adminExportTaxes': '?period=2026-11',
  'bookkeeping.adminTaxes': '?period=2026-11',
  'serviceMessages.adminAudience': `?productId=${reboundSigmaPro.id}`,
}
/** Calls that answer only the browser in which a guest has just paid. */
const guestCalls = new Set(['checkout.paid'])

let shop: TestShop
let people: Record<'admin' | 'buyer', Visitor>
beforeAll(async () => {
  shop = await openShop()
  people = { buyer: await shop.buyer(), admin: await shop.admin() }
  await shop.settle()
})
afterAll(() => shop.close())

const readCalls = endpoints.filter(
  ({ name, endpoint: { method, path } }) => method === 'GET' && !path.includes(':') && !guestCalls.has(name),
)

// A schedule may come due meanwhile; its work is not the request's.
const duringRequest = new AsyncLocalStorage<true>()

async function statementsOf(visitor: Visitor, path: string) {
  const watch = watchStatements(shop.connection, () => duringRequest.getStore() === true)
  shop.app.server.prependOnceListener('request', () => duringRequest.enterWith(true))
  const response = await visitor.fetch(path)
  await response.text()
  expect(response.status, path).toBeLessThan(400)
  return watch.stop()
}

async function countAll() {
  const counts: Record<string, number> = {}
  const count = async (name: string, visitor: Visitor, path: string) => {
    counts[name] = (await statementsOf(visitor, path)).length
  }
  for (const { name, endpoint } of readCalls) {
    const visitor = endpoint.path.startsWith('/api/admin/') ? people.admin : people.buyer
    await count(name, visitor, endpoint.path + (queries[name] ?? ''))
  }
  await count('purchasesAdmin.list, searched', people.admin, `${contract.purchasesAdmin.list.path}?q=ada`)
  return counts
}

test('every read call keeps to its number of statements, with one purchase or with thousands', async () => {
  const countsWithOnePurchase = await countAll()
  await shop.connection.pool.query(`
    insert into users (email, name) select 'u' || n || '@example.com', 'Ada' from generate_series(1, 3000) n`)
  await shop.connection.pool.query(
    `insert into purchases (user_id, product_id, billing_type, price, status)
     select id, $1, 'monthly', 3900, 'active' from users where name = 'Ada'`,
    [reboundSigmaPro.id],
  )
  await shop.connection.pool.query(`
    insert into mrr_movements (purchase_id, user_id, product_id, at, recorded_at, source, revision, kind, cause,
      arr_before, arr_after, people)
    select id, user_id, product_id, now(), now(), 'first', 1, 'new', 'bought', 0, 46800, 1 from purchases`)
  expect(await countAll()).toEqual(countsWithOnePurchase)
  expect(countsWithOnePurchase).toEqual(budgets)
})

// With this many rows, an index costs PostgreSQL less than reading the whole table.
describe('with 20,000 purchases', () => {
  beforeAll(async () => {
    // Its own connection: the shop's has a limit of 4 seconds.
    const client = new pg.Client({ connectionString: shop.connection.url })
    await client.connect()
    await client.query(`
      insert into users (email, name, created_at) select 'p' || n || '@many.example', 'Person ' || n, now() - n * interval '1 minute'
      from generate_series(1, 20000) n`)
    await client.query(
      `insert into purchases (user_id, product_id, billing_type, price, status, created_at)
       select id, $1, 'monthly', 3900, 'cancelled', created_at from users where email like '%@many.example'`,
      [reboundSigmaPro.id],
    )
    await client.query(invoicesFor('true'))
    await client.query(`
      insert into payments (payment_intent_id, purchase_id, invoice_id, paid_at, amount, tax)
      select 'pi_' || replace(id::text, '-', ''), id, 'in_' || id, created_at, 3900, 0 from purchases`)
    await client.query(`
      insert into orders (id, kind, product_id, billing_type, amount, email, user_id, created_at, closed_at, customer_id, subscription_id)
      select gen_random_uuid(), 'new', product_id, 'monthly', price, id || '@many.example', user_id, created_at, created_at, 'cus_' || id, 'sub_' || id
      from purchases where status = 'cancelled'`)
    await client.query('analyze users, purchases, payments, invoices, orders')
    await client.end()
  })

  test.each([
    '/api/admin/purchases',
    '/api/admin/purchases?status=cancelled&billingType=monthly',
    '/api/admin/purchases?q=p4711@',
    '/api/admin/users',
    '/api/admin/users?q=p4711@',
    '/api/admin/users?q=p9',
    '/api/admin/payments',
    '/api/admin/payments?q=p4711@',
    '/api/admin/search?q=p4711@',
  ])('%s reads no table from end to end, page after page', async (path) => {
    const firstPage = await people.admin.fetch(path)
    const [, nextPath] = /<(.+)>; rel="next"/.exec(firstPage.headers.get('link') ?? '') ?? []
    const pagePaths = nextPath ? [path, nextPath] : [path]
    for (const pagePath of pagePaths)
      expect(await findFullScans(await statementsOf(people.admin, pagePath))).toEqual([])
  })

  test('nothing that follows a purchase, a plan switch, a cancellation or a refund reads a table from end to end', async () => {
    const watch = watchStatements(shop.connection)
    const buyer = await shop.buyer()
    const { id } = buyer.purchase
    await lives(() => shop).logIn(buyer)
    const { at, due } = await buyer.call(contract.purchases.switchOffer, { id })
    await buyer.call(contract.purchases.switch, { id, at, amount: due })
    await buyer.call(contract.purchases.cancel, { id })
    const { refundedSoFar } = await people.admin.call(contract.purchasesAdmin.refundable, { id })
    await people.admin.call(contract.purchasesAdmin.refund, { id, refundedSoFar })
    await shop.settle()
    expect(await findFullScans(watch.stop())).toEqual([])
  })

  test('the nightly comparison with Stripe finds the invoices of each subscription by an index', async () => {
    const watch = watchStatements(shop.connection)
    await shop.queue.runNow('prove-revenue')
    const statements = watch.stop().filter(({ text }) => text.includes('"invoices"'))
    expect(statements).not.toEqual([])
    expect(await findFullScans(statements)).toEqual([])
  })

  /** Statements that read a large table from end to end, with their plans. */
  type Statements = ReturnType<ReturnType<typeof watchStatements>['stop']>
  async function findFullScans(statements: Statements) {
    const fullScans: { text: string; plan: string }[] = []
    for (const { text, values } of statements) {
      // PostgreSQL can't explain statements such as `begin`.
      if (!/^\s*(select|insert|update|delete|with)\b/i.test(text)) continue
      const { rows } = await shop.connection.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      if (/Seq Scan on (users|purchases|payments|invoices|orders)\b/.test(plan)) fullScans.push({ text, plan })
    }
    return fullScans
  }
})

test('visitors who ask at the same moment are each answered as themselves', async () => {
  const buyers = await Promise.all(Array.from({ length: 8 }, () => shop.buyer()))
  const answers = await Promise.all(
    buyers.map(async (buyer) => ({
      email: (await buyer.call(contract.accounts.user, {}))?.email,
      purchases: (await buyer.call(contract.purchases.list, {})).map(({ id }) => id),
    })),
  )
  expect(answers).toEqual(buyers.map(({ user, purchase }) => ({ email: user.email, purchases: [purchase.id] })))
})
