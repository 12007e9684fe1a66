import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { declarations as contract } from '#contract/selling/declarations.ts'
import { declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { declarations } from '#server/database/schema.ts'
import { mailsTo as allMailsTo, declared, linkIn, storedDeclaration } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { SUPPORT_EMAIL: 'help@example.com' } })
})
afterAll(() => shop.close())

const stored = (id: string) => storedDeclaration(shop, id)
const mailsTo = (to: string) => allMailsTo(shop, to)

test('a logged-out buyer withdraws with one click: receipt with the exact time, full refund, no access', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { email } = buyer.user
  await buyer.call(access.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername: 'ada',
    apiKey: 'key',
    secretKey: 'secret',
  })
  const { id, declaredAt } = await shop.visitor().call(contract.withdraw, declared(email))

  const receipt = (await mailsTo(email)).find(({ subject }) => subject === 'We’ve received your withdrawal')
  const minutesAndSeconds = new Date(declaredAt).toISOString().slice(14, 19)
  expect(receipt?.text).toContain(`Contract: ${email}`)
  expect(receipt?.text).toMatch(new RegExp(`Received: .*${minutesAndSeconds} [AP]M UTC`))
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])

  await shop.visitor().call(contract.confirm, linkIn(receipt?.text))
  expect(await buyer.call(purchases.list, {})).toMatchObject([
    { status: 'cancelled', refundedAmount: 39_000, endedBecause: 'refunded' },
  ])
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: 'Ended right away and refunded in full' })
  const subjects = (await mailsTo(email)).map(({ subject }) => subject)
  expect(subjects).toContain('Your refund of $390.00')
  expect(await buyer.call(access.mine, {})).toEqual([])
  const admin = await shop.admin()
  expect(await admin.call(accessAdmin.todo, {})).toEqual([])
})

test('a logged-in buyer withdraws without confirming by email', async () => {
  const buyer = await shop.buyer()
  const answer = await buyer.call(contract.withdraw, {
    name: 'Ada Trader',
    contract: contractNumber(buyer.purchase.id).toLowerCase(),
    email: 'elsewhere@example.com',
  })
  expect(answer.next).toBe('none')
  expect((await mailsTo('elsewhere@example.com'))[0]?.text).not.toContain('confirm?id=')
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 3900 }])
})

test('a cancellation ends the contract at the end of its period', async () => {
  const buyer = await shop.buyer()
  const { email } = buyer.user
  const { id } = await buyer.call(contract.cancel, { ...declared(email), grounds: 'ordinary' })
  expect((await mailsTo(email)).map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['We’ve received your cancellation', 'Your subscription will be cancelled']),
  )
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel', refundedAmount: 0 }])
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: expect.stringContaining('Ends on ') })
})

test('a cancellation moments after the purchase counts, even if Stripe’s clock is ahead', async () => {
  await using slowShop = await openShop({ startsAt: new Date(Date.now() - 60_000) })
  const buyer = await slowShop.buyer()
  await buyer.call(contract.cancel, { ...declared(buyer.user.email), grounds: 'ordinary' })
  await slowShop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel', refundedAmount: 0 }])
})

test('a withdrawal declared twice is carried out once, and both declarations are stored', async () => {
  const buyer = await shop.buyer()
  const first = await buyer.call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  const second = await buyer.call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ refundedAmount: 3900 }])
  expect(await stored(first.id)).toMatchObject({ state: 'done' })
  expect(await stored(second.id)).toMatchObject({ state: 'done', outcome: 'The contract had already ended' })
  const refunds = (await mailsTo(buyer.user.email)).filter(({ subject }) => subject.startsWith('Your refund'))
  expect(refunds).toHaveLength(1)
})

test('a declaration with a mistyped address waits for the seller, due in 14 days, with the same response', async () => {
  const buyer = await shop.buyer()
  const mistyped = 'adaa-typo@example.com'
  const known = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const unknown = await shop.visitor().call(contract.withdraw, { ...declared(mistyped), email: 'ada@example.com' })
  expect(Object.keys(unknown)).toEqual(Object.keys(known))
  expect([known.next, unknown.next]).toEqual(['click', 'click'])
  await shop.settle()
  const admin = await shop.admin()
  const listed = (await admin.call(declarationsAdmin.list, {})).find(({ id }) => id === unknown.id)
  expect(listed).toMatchObject({ state: 'open', purchase: null, contract: mistyped })
  const days = (new Date(listed?.dueAt ?? 0).getTime() - new Date(unknown.declaredAt).getTime()) / 86_400_000
  expect(days).toBe(14)
  expect((await mailsTo('help@example.com')).at(-1)?.text).toContain('adaa-typo@ example. com')

  await expect(admin.call(declarationsAdmin.link, { id: unknown.id, contract: mistyped })).rejects.toMatchObject({
    status: 400,
  })
  await admin.call(declarationsAdmin.link, { id: unknown.id, contract: buyer.user.email })
  const declarationsOfBuyer = await admin.call(declarationsAdmin.list, { customerId: buyer.user.id })
  expect(declarationsOfBuyer.find(({ id }) => id === unknown.id)).toMatchObject({
    state: 'open',
    purchase: { id: buyer.purchase.id },
  })

  await admin.call(declarationsAdmin.close, { id: unknown.id, outcome: 'Asked back; she withdrew herself' })
  expect(await stored(unknown.id)).toMatchObject({ state: 'done', outcome: 'Asked back; she withdrew herself' })
  await expect(admin.call(declarationsAdmin.carryOut, { id: unknown.id })).rejects.toMatchObject({ status: 409 })
})

test('a stranger’s declaration reveals and changes nothing, and the owner gets an email', async () => {
  const [owner, stranger] = [await shop.buyer(), await shop.user()]
  const { email } = owner.user
  for (const visitor of [shop.visitor(), stranger])
    expect(
      await visitor.call(contract.withdraw, { name: 'Eve', contract: email, email: 'eve@example.com' }),
    ).toMatchObject({ next: 'click' })
  const receipts = await mailsTo('eve@example.com')
  expect(receipts).toHaveLength(2)
  for (const { text } of receipts) expect(text).not.toMatch(/confirm\?id=|Rebound Sigma Pro|RS-/)
  const confirmationEmails = (await mailsTo(email)).filter(
    ({ subject }) => subject === 'Please confirm your withdrawal',
  )
  expect(confirmationEmails).toHaveLength(2)
  expect(confirmationEmails[0]?.text).toContain('Name given: Eve')
  expect(await owner.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  const { id } = linkIn(confirmationEmails[0]?.text)
  await expect(stranger.call(contract.confirm, { id, token: 'guess' })).rejects.toMatchObject({ status: 400 })
})

test('a cancellation for good cause is decided by the seller, and only it stores a reason', async () => {
  const buyer = await shop.buyer()
  const reason = 'It stopped working'
  const cancellation = { ...declared(buyer.user.email), grounds: 'good_cause' as const, reason }
  const { id, next } = await buyer.call(contract.cancel, cancellation)
  expect(next).toBe('person')
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'open', reason })
  expect((await mailsTo(buyer.user.email)).at(-1)?.text).toContain(`> ${reason}`)
  const ordinary = await buyer.call(contract.cancel, { ...cancellation, grounds: 'ordinary' })
  expect(await stored(ordinary.id)).toMatchObject({ reason: null })
  await shop.settle()
})

test('a good cause that the seller accepts ends the contract without notice, and the unused days are refunded', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await shop.advance(60, 'day')
  const cancellation = { ...declared(buyer.user.email), grounds: 'good_cause' as const, reason: 'It stopped working' }
  const { id } = await buyer.call(contract.cancel, cancellation)
  await shop.settle()
  const seller = await shop.admin()
  await seller.call(declarationsAdmin.carryOut, { id })
  await shop.settle()
  const [purchase] = await seller.call(purchasesAdmin.list, { q: buyer.user.email })
  expect(purchase).toMatchObject({ status: 'cancelled' })
  expect(purchase?.refundedAmount).toBeGreaterThan(32_000)
  expect(purchase?.refundedAmount).toBeLessThan(33_000)
  expect(await stored(id)).toMatchObject({
    state: 'done',
    outcome: 'Ended right away, and the unused time was refunded',
  })
})

test('many declarations are all stored, but an address gets at most three receipts an hour', async () => {
  const email = 'flooded@example.com'
  for (let sent = 0; sent < 5; sent++) await shop.visitor().call(contract.withdraw, declared(email))
  expect(await mailsTo(email)).toHaveLength(3)
  const storedDeclarations = await shop.connection.db.select().from(declarations).where(eq(declarations.email, email))
  expect(storedDeclarations).toHaveLength(5)
})

test('a receipt quotes the typed text without anything that an email program turns into a link', async () => {
  const email = 'victim@example.com'
  const reason = 'Your card was charged.\nLog in at t.me/x or https://evil.example/login'
  const cancellation = { name: 'Eve', contract: 'see x.com/evil', email, grounds: 'good_cause' as const, reason }
  await shop.visitor().call(contract.cancel, cancellation)
  const [receipt] = await mailsTo(email)
  expect(receipt?.text).toContain('> Log in at t. me/x or https: / /evil. example/login')
  expect(receipt?.text).toContain('Contract: see x. com/evil')
  expect(`${receipt?.text} ${receipt?.html}`).not.toMatch(/t\.me|x\.com|evil\.example/)
  for (const name of ['visit evil.example', 't.me/x', 'Eve\nYour card was charged'])
    await expect(shop.visitor().call(contract.cancel, { ...cancellation, name })).rejects.toMatchObject({ status: 400 })
})

test('an unproven address gets up to three receipts a day, and always the first', async () => {
  const [unproven, buyer] = ['unproven@example.com', await shop.buyer()]
  for (let sent = 0; sent < 4; sent++)
    await shop.visitor().call(contract.withdraw, { ...declared(buyer.user.email), email: unproven })
  expect(await mailsTo(unproven)).toHaveLength(3)
  shop.clock.advance({ hours: 2 })
  await shop.visitor().call(contract.withdraw, { ...declared('none'), email: unproven })
  expect(await mailsTo(unproven)).toHaveLength(3)
  // Declarations by strangers don't count against the owner's limit of receipts.
  await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const subjects = (await mailsTo(buyer.user.email)).map(({ subject }) => subject)
  expect(subjects).toContain('We’ve received your withdrawal')
})

test('a person’s declaration is in their data and is anonymized with the account', async () => {
  const buyer = await shop.buyer()
  const reason = 'My doctor says so'
  const { id } = await buyer.call(contract.cancel, { ...declared(buyer.user.email), grounds: 'good_cause', reason })
  await shop.settle()
  await (await shop.admin()).call(declarationsAdmin.close, { id, outcome: 'Ada Trader called; settled' })
  expect(await buyer.call(accounts.myData, {})).toMatchObject({
    declarations: [{ kind: 'cancellation', name: 'Ada Trader', reason }],
  })
  const declaration = await stored(id)
  await buyer.call(accounts.deleteMyself, { password: buyer.password })
  expect(await stored(id)).toEqual({
    ...declaration,
    name: 'Deleted user',
    contract: '',
    email: expect.stringContaining('deleted'),
    reason: null,
    outcome: null,
    networkHash: '',
  })
})

test('declarations don’t exist where the law does not require them', async () => {
  await using elsewhere = await openShop({ env: { CONSUMER_LAW: 'none' } })
  await expect(elsewhere.visitor().call(contract.withdraw, declared('a@example.com'))).rejects.toMatchObject({
    status: 404,
  })
})

test('declarations are deleted three years later, at the end of the year', async () => {
  const readAll = () => shop.connection.db.select().from(declarations)
  await shop.visitor().call(contract.withdraw, declared('old@example.com'))
  await shop.settle()
  const storedDeclarations = await readAll()
  const advanceTo = (year: number, day: number) =>
    shop.clock.advance({ days: (Date.UTC(year, 0, day) - shop.clock.now().getTime()) / 86_400_000 })
  const lastDayOfYear = 365
  const years = storedDeclarations.map(({ declaredAt }) => declaredAt.getUTCFullYear())
  advanceTo(Math.min(...years) + 3, lastDayOfYear)
  await shop.queue.runNow('forget-declarations')
  expect(await readAll()).toHaveLength(storedDeclarations.length)
  // Declarations that nobody handled are kept a year longer.
  advanceTo(Math.max(...years) + 5, 2)
  await shop.queue.runNow('forget-declarations')
  expect(await readAll()).toEqual([])
})
