import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { access as accessCalls } from '#contract/access/access.ts'
import { audit } from '#contract/admin/activity.ts'
import { type ExportKind, exports } from '#contract/admin/exports.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { billing } from '#contract/selling/billing.ts'
import { purchases as purchaseCalls } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { access, accessForms, purchases, users } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())
beforeEach(async () => {
  await deletePurchases()
})

async function deletePurchases() {
  await shop.connection.db.delete(accessForms)
  await shop.connection.db.delete(access)
  await shop.connection.db.delete(purchases)
}

async function download(kind: ExportKind) {
  const response = await admin.send(exports.download, { kind })
  return { response, rows: parse(await response.text()) }
}

async function addBuyer(buyer: { email: string; name: string; tradingViewUsername?: string }, form?: object) {
  const { db } = shop.connection
  const [user] = await db.insert(users).values(buyer).returning()
  const userId = user?.id ?? ''
  const [purchase] = await db
    .insert(purchases)
    .values({ userId, productId: reboundSigmaPro.id, billingType: 'monthly', price: 3909, status: 'active' })
    .returning()
  await db
    .insert(accessForms)
    .values({
      userId,
      purchaseId: purchase?.id ?? '',
      exchangeName: 'Kraken',
      tradingViewUsername: 'ada',
      sealedKeys: 'sealed-secret',
      ...form,
    })
}

describe('an export', () => {
  test('is a file named after its kind and date, with one row per order', async () => {
    await addBuyer({ email: 'ada@example.com', name: 'Ada "The Trader", Lovelace' })
    const { response, rows } = await download('orders')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="orders-${shop.clock.now().toISOString().slice(0, 10)}.csv"`,
    )
    expect(rows).toHaveLength(2)
    expect(rows[1]).toEqual(
      expect.arrayContaining(['ada@example.com', 'Ada "The Trader", Lovelace', 'Rebound Sigma Pro', '39.09']),
    )
  })

  test('of orders has each order’s kind, country, payment, tax and Stripe ids', async () => {
    const [buyer, friend] = [await shop.buyer(), await shop.user()]
    await admin.call(purchasesAdmin.add, {
      userId: friend.user.id,
      productId: reboundSigmaPro.id,
      billingType: 'yearly',
      amount: 0,
      status: 'active',
      kind: 'gift',
    })
    const emptyDetails = { company: '', street: '', postalCode: '', city: '', vatId: '' }
    await buyer.call(billing.save, { ...emptyDetails, country: 'CH' })
    const { rows } = await download('orders')
    const [titles = [], ...orders] = rows
    expect(titles.slice(0, 10)).toEqual([
      'Id',
      'Date (UTC)',
      'Email',
      'Name',
      'Product',
      'Billing',
      'Amount (USD)',
      'Refunded (USD)',
      'Status',
      'Ended (UTC)',
    ])
    const orderOf = (email: string) => {
      const cells = orders.find((order) => order[2] === email) ?? []
      return Object.fromEntries(titles.map((title, index) => [title, cells[index]]))
    }
    expect(orderOf(buyer.user.email)).toMatchObject({
      Kind: 'paid by card',
      Country: 'CH',
      'Paid (USD)': '39.00',
      'Tax (USD)': '0.00',
      'Stripe invoice (latest)': expect.stringMatching(/^in_/),
      'Stripe payment (first)': buyer.purchase.paymentIntentId,
      'Stripe subscription': expect.stringMatching(/^sub_/),
      'Stripe customer': expect.stringMatching(/^cus_/),
    })
    expect(orderOf(friend.user.email)).toMatchObject({ Kind: 'gift', 'Paid (USD)': '', 'Stripe customer': '' })
  })

  test('of buyers counts their purchases; users who never bought aren’t included', async () => {
    await shop.user({ email: 'never@example.com' })
    await addBuyer({ email: 'bob@example.com', name: 'Bob', tradingViewUsername: 'bob_tv' })
    const { rows } = await download('buyers')
    expect(rows.map((row) => row[0])).toEqual(['Email', 'bob@example.com'])
    expect(rows[1]).toEqual(expect.arrayContaining(['Bob', 'bob_tv', '1']))
  })

  test('of access requests lists every username, however it was given', async () => {
    const [formBuyer, purchaseBuyer, profileBuyer] = [await shop.buyer(), await shop.buyer(), await shop.buyer()]
    await formBuyer.call(accessCalls.submitForPurchase, {
      purchaseId: formBuyer.purchase.id,
      tradingViewUsername: 'by_form',
      exchangeName: 'Kraken',
      apiKey: 'key',
      secretKey: 'secret',
      additionalInfo: 'Please hurry',
    })
    await purchaseBuyer.call(accessCalls.changeUsername, {
      purchaseId: purchaseBuyer.purchase.id,
      username: 'by_dashboard',
    })
    await profileBuyer.call(accounts.updateProfile, { tradingViewUsername: 'by_profile' })
    const response = await admin.send(exports.download, { kind: 'forms' })
    const lines: Record<string, string>[] = parse(await response.text(), { columns: true })
    const summaries = lines.map((line) =>
      [line.Email, line['TradingView username'], line.Exchange, line['Given in']].join(' | '),
    )
    expect(new Set(summaries)).toEqual(
      new Set([
        `${formBuyer.user.email} | by_form | Kraken | access request`,
        `${purchaseBuyer.user.email} | by_dashboard |  | account`,
        `${profileBuyer.user.email} | by_profile |  | account`,
      ]),
    )
    expect(summaries).toHaveLength(3)
    expect(lines.find(({ Email }) => Email === formBuyer.user.email)?.Status).toBe('waiting for you')
  })

  test('counts a purchase that cancels at period end as active, as the users list does', async () => {
    const buyer = await shop.buyer()
    await buyer.call(purchaseCalls.cancel, { id: buyer.purchase.id })
    const response = await admin.send(exports.download, { kind: 'buyers' })
    expect(parse(await response.text(), { columns: true })).toMatchObject([{ 'Active purchases': '1' }])
    expect(await admin.call(accountsAdmin.list, { q: buyer.user.email })).toMatchObject([{ activePurchases: 1 }])
  })

  test('never contains exchange keys', async () => {
    await addBuyer({ email: 'carol@example.com', name: 'Carol' })
    for (const kind of ['buyers', 'orders', 'forms'] as const) {
      const response = await admin.send(exports.download, { kind })
      expect(await response.text()).not.toContain('sealed-secret')
    }
  })

  test('has no cell that a spreadsheet runs as a formula, even if it splits cells at another separator', async () => {
    const dangerousText = fc
      .array(
        fc.oneof(
          fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠'),
          fc.constantFrom('\t', '\r', '\n', ';', ',', '"', "'", ' ', '\u00A0', '\uFEFF'),
          // Invisible characters, which spreadsheets ignore before a formula.
          fc.constantFrom('\u00AD', '\u2060', '\u180E', '\u034F', '\u115F', '\u3164', '\u2800'),
          fc.string({ maxLength: 3 }),
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join('').replaceAll('\u0000', ''))
    // The parts into which another spreadsheet might split a cell.
    const splitCell = (text: string) => text.split(/[;\t\r\n]/)
    const startsFormula = /^(?:[\s\u200B\u00AD\u2060\u180E\u115F\u3164\u2800"]|\u034F)*[=+\-@＝＋－＠]/
    let number = 0
    await fc.assert(
      // Many people in each export, because downloads cost more than people.
      fc.asyncProperty(
        fc.array(fc.tuple(dangerousText, dangerousText, dangerousText), { maxLength: 20 }),
        async (people) => {
          await deletePurchases()
          for (const [name, exchangeName, additionalInfo] of people) {
            number += 1
            await addBuyer(
              { email: `=cmd${number}@example.com`, name, tradingViewUsername: name },
              { exchangeName, additionalInfo, tradingViewUsername: exchangeName },
            )
          }
          for (const kind of ['buyers', 'orders', 'forms'] as const) {
            const { rows } = await download(kind)
            expect(rows).toHaveLength(1 + people.length)
            const cells = rows.flat()
            const formulas = cells.flatMap(splitCell).filter((text) => startsFormula.test(text))
            expect(formulas).toEqual([])
            // Apart from the apostrophes that the export adds, names are unchanged.
            const cellsWithoutApostrophes = new Set(cells.map((cell) => cell.replaceAll("'", '')))
            for (const [name] of people) expect(cellsWithoutApostrophes).toContain(name.replaceAll("'", ''))
          }
        },
      ),
      {
        numRuns: 8,
        examples: [
          [
            [
              ['x;=1+1', 'x\t=1+1', 'x\n"=1+1'],
              ['＝1+1', 'x; \u00A0+1', '\uFEFF=1+1'],
            ],
          ],
        ],
      },
    )
  })

  test('stops its query when the download is aborted, and can be repeated immediately', async () => {
    const { pool } = shop.connection
    await addBuyer({ email: 'many@example.com', name: 'x'.repeat(2000) })
    // In batches: the shop's statement timeout is tight on a busy machine.
    for (let part = 0; part < 4; part += 1)
      await pool.query(
        `insert into purchases (user_id, product_id, billing_type, price, status)
         select user_id, product_id, 'monthly', 3900, 'expired' from purchases, generate_series(1, 2000)
         where status = 'active'`,
      )
    for (let round = 0; round < 2; round += 1) {
      const disconnect = new AbortController()
      const response = await admin.send(exports.download, { kind: 'orders' }, { signal: disconnect.signal })
      await response.body?.getReader().read()
      disconnect.abort()
      await expect.poll(countRunningExports).toBe(0)
    }
    expect((await download('orders')).rows).toHaveLength(8002)

    async function countRunningExports() {
      const { rows } = await pool.query(
        `select 1 from pg_stat_activity where application_name = 'shop export' and datname = current_database()`,
      )
      return rows.length
    }
  })

  test('is recorded in the audit log', async () => {
    await download('forms')
    const [latest] = await admin.call(audit.adminList, { q: 'export.download' })
    expect(latest).toMatchObject({ subject: 'forms', actorEmail: admin.user.email })
  })
})
