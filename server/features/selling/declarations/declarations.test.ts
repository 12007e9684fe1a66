import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessRequests } from '#contract/access/access-requests.ts'
import { customers } from '#contract/desk/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { declarations as contract } from '#contract/selling/declarations.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { declarations, purchases as purchaseRows } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { SUPPORT_EMAIL: 'help@example.com' } })
})
afterAll(() => shop.close())

const stored = async (id: string, at = shop) =>
  (await at.connection.db.select().from(declarations).where(eq(declarations.id, id)))[0]

const mailsTo = async (to: string, at = shop) => {
  await at.settle()
  return (await at.mails()).filter((mail) => mail.to === to)
}

const linkIn = (text: string | undefined) => {
  const [, id = '', token = ''] = /confirm\?id=([\w-]+)&token=([\w-]+)/.exec(text ?? '') ?? []
  return { id, token }
}

const declared = (email: string) => ({ name: 'Ada Trader', contract: email, email })

test('someone logged out withdraws: a receipt to the second, one click, all money back, no access', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { email } = buyer.user
  await buyer.call(accessRequests.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername: 'ada',
    apiKey: 'key',
    secretKey: 'secret',
  })
  const { id, declaredAt } = await shop.visitor().call(contract.withdraw, declared(email))

  const receipt = (await mailsTo(email)).find(({ subject }) => subject === 'We’ve received your withdrawal')
  const clock = new Date(declaredAt).toISOString().slice(14, 19)
  expect(receipt?.text).toContain(`Contract: ${email}`)
  expect(receipt?.text).toMatch(new RegExp(`Received: .*${clock} [AP]M UTC`))
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])

  await shop.visitor().call(contract.confirm, linkIn(receipt?.text))
  expect(await buyer.call(purchases.list, {})).toMatchObject([
    { status: 'cancelled', refundedAmount: 39_000, endedBecause: 'refunded' },
  ])
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: 'Ended at once and refunded in full' })
  const subjects = (await mailsTo(email)).map(({ subject }) => subject)
  expect(subjects).toContain('Your refund of $390.00')
  expect(await buyer.call(accessRequests.list, {})).toMatchObject([{ status: 'requested' }])
  const admin = await shop.admin()
  expect(await admin.call(accessRequests.adminList, {})).toEqual([])
})

test('whoever is logged in needs no second click', async () => {
  const buyer = await shop.buyer()
  await buyer.call(contract.withdraw, {
    name: 'Ada Trader',
    contract: contractNumber(buyer.purchase.id).toLowerCase(),
    email: 'elsewhere@example.com',
  })
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
  expect(await buyer.call(purchases.list, {})).toMatchObject([
    { status: 'pending_cancel', refundedAmount: 0 },
  ])
  expect(await stored(id)).toMatchObject({ state: 'done', outcome: expect.stringContaining('Ends on ') })
})

test('declared twice, it is carried out once, and both are kept', async () => {
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

test('with a typo it waits on the seller’s list, due in 14 days, and the answer is the same', async () => {
  const [known, unknown] = [await shop.buyer(), 'adaa-typo@example.com']
  const right = await shop.visitor().call(contract.withdraw, declared(known.user.email))
  const wrong = await shop
    .visitor()
    .call(contract.withdraw, { ...declared(unknown), email: 'ada@example.com' })
  expect(Object.keys(wrong)).toEqual(Object.keys(right))
  await shop.settle()
  const admin = await shop.admin()
  const row = (await admin.call(contract.adminList, {})).find(({ id }) => id === wrong.id)
  expect(row).toMatchObject({ state: 'open', purchase: null, contract: unknown })
  const days = (new Date(row?.dueAt ?? 0).getTime() - new Date(wrong.declaredAt).getTime()) / 86_400_000
  expect(days).toBe(14)
  expect((await mailsTo('help@example.com')).at(-1)?.text).toContain(unknown)

  await admin.call(contract.adminClose, { id: wrong.id, outcome: 'Asked back; she withdrew herself' })
  expect(await stored(wrong.id)).toMatchObject({ state: 'done', outcome: 'Asked back; she withdrew herself' })
  await expect(admin.call(contract.adminCarryOut, { id: wrong.id })).rejects.toMatchObject({ status: 409 })
})

test('a stranger learns nothing about a contract, changes nothing, and its owner is told', async () => {
  const [owner, stranger] = [await shop.buyer(), await shop.user()]
  const { email } = owner.user
  for (const visitor of [shop.visitor(), stranger])
    await visitor.call(contract.withdraw, { name: 'Eve', contract: email, email: 'eve@example.com' })
  const receipts = await mailsTo('eve@example.com')
  expect(receipts).toHaveLength(2)
  for (const { text } of receipts) expect(text).not.toMatch(/confirm\?id=|Rebound Sigma Pro|RS-/)
  const told = (await mailsTo(email)).filter(({ subject }) => subject === 'Please confirm your withdrawal')
  expect(told).toHaveLength(2)
  expect(told[0]?.text).toContain('Name given: Eve')
  expect(await owner.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  const { id } = linkIn(told[0]?.text)
  await expect(stranger.call(contract.confirm, { id, token: 'guess' })).rejects.toMatchObject({ status: 400 })
})

test('only a person decides about a good cause, and only there a reason is kept', async () => {
  const buyer = await shop.buyer()
  const reason = 'It stopped working'
  const cause = { ...declared(buyer.user.email), grounds: 'good_cause' as const, reason }
  const { id } = await buyer.call(contract.cancel, cause)
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'open', reason })
  expect((await mailsTo(buyer.user.email)).at(-1)?.text).toContain(`> ${reason}`)
  const ordinary = await buyer.call(contract.cancel, { ...cause, grounds: 'ordinary' })
  expect(await stored(ordinary.id)).toMatchObject({ reason: null })
})

test('a flood is stored, but sends an address at most three receipts an hour', async () => {
  const email = 'flooded@example.com'
  for (let sent = 0; sent < 5; sent++) await shop.visitor().call(contract.withdraw, declared(email))
  expect(await mailsTo(email)).toHaveLength(3)
  const kept = await shop.connection.db.select().from(declarations).where(eq(declarations.email, email))
  expect(kept).toHaveLength(5)
})

test('a receipt never carries someone’s link', async () => {
  const fine = { name: 'Eve', contract: 'RS-00000000', email: 'victim@example.com' }
  for (const wrong of [{ name: 'visit evil.example' }, { contract: 'https://evil.example' }])
    await expect(shop.visitor().call(contract.withdraw, { ...fine, ...wrong })).rejects.toMatchObject({
      status: 400,
    })
  await expect(
    shop.visitor().call(contract.cancel, { ...fine, grounds: 'good_cause', reason: 'see www.evil.example' }),
  ).rejects.toMatchObject({ status: 400 })
})

test('what a person declared is in their data and leaves with their account; the fact stays', async () => {
  const buyer = await shop.buyer()
  const reason = 'My doctor says so'
  const { id } = await buyer.call(contract.cancel, {
    ...declared(buyer.user.email),
    grounds: 'good_cause',
    reason,
  })
  await shop.settle()
  await (await shop.admin()).call(contract.adminClose, { id, outcome: 'Ada Trader called; settled' })
  expect(await buyer.call(accounts.myData, {})).toMatchObject({
    declarations: [{ kind: 'cancellation', name: 'Ada Trader', reason }],
  })
  const before = await stored(id)
  await buyer.call(accounts.deleteMyself, { password: buyer.password })
  expect(await stored(id)).toEqual({
    ...before,
    name: 'Deleted user',
    contract: '',
    email: expect.stringContaining('deleted'),
    reason: null,
    outcome: null,
    networkHash: '',
  })
})

test('where the law does not ask for it, there are no declarations', async () => {
  await using elsewhere = await openShop({ env: { CONSUMER_LAW: 'none' } })
  await expect(elsewhere.visitor().call(contract.withdraw, declared('a@example.com'))).rejects.toMatchObject({
    status: 404,
  })
})

// From here on, time passes.

test('the receipt’s time decides, not the click: declared in time and confirmed later, it counts', async () => {
  const buyer = await shop.buyer()
  await shop.advance(14, 'day')
  await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const receipt = (await mailsTo(buyer.user.email)).find(({ text }) => text.includes('confirm?id='))
  await shop.advance(3, 'day')
  await shop.visitor().call(contract.confirm, linkIn(receipt?.text))
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 3900 }])
})

test('after 14 days its link only says so: nothing ends, nothing is refunded, and the seller decides', async () => {
  const buyer = await shop.buyer()
  const { id } = await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const receipt = (await mailsTo(buyer.user.email)).find(({ text }) => text.includes('confirm?id='))
  await shop.advance(14, 'day')
  for (let click = 0; click < 2; click++)
    await expect(shop.visitor().call(contract.confirm, linkIn(receipt?.text))).rejects.toMatchObject({
      status: 410,
      message: expect.stringContaining('nothing was changed or refunded'),
    })
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'open' })
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])
})

test('a link that went to a mailbox the account no longer has carries out nothing', async () => {
  const buyer = await shop.buyer()
  await shop.visitor().call(contract.withdraw, declared(buyer.user.email))
  const receipt = (await mailsTo(buyer.user.email)).find(({ text }) => text.includes('confirm?id='))
  const admin = await shop.admin()
  await admin.call(customers.adminCorrectEmail, { id: buyer.user.id, email: 'moved@example.com' })
  await expect(shop.visitor().call(contract.confirm, linkIn(receipt?.text))).rejects.toMatchObject({
    status: 410,
  })
  await shop.settle()
  expect(await admin.call(purchases.adminList, { status: 'live' })).toContainEqual(
    expect.objectContaining({ id: buyer.purchase.id, status: 'active' }),
  )
  await shop.visitor().call(contract.withdraw, declared('moved@example.com'))
  const again = (await mailsTo('moved@example.com')).find(({ text }) => text.includes('confirm?id='))
  await shop.visitor().call(contract.confirm, linkIn(again?.text))
  expect(await admin.call(purchases.adminList, { status: 'live' })).not.toContainEqual(
    expect.objectContaining({ id: buyer.purchase.id }),
  )
})

test('on day 15 it is too late to be automatic; the seller may still carry it out', async () => {
  const buyer = await shop.buyer()
  await shop.advance(15, 'day')
  await shop.advance(1, 'minute')
  const { id } = await buyer.call(contract.withdraw, declared(buyer.user.email))
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  const admin = await shop.admin()
  const [row] = await admin.call(contract.adminList, {})
  expect(row).toMatchObject({ id, state: 'open', isLate: true })
  await admin.call(contract.adminCarryOut, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 3900 }])
})

test('a cancellation for a later day waits for that day’s period; one that fails holds up no other', async () => {
  const [gone, buyer] = [await shop.buyer(), await shop.buyer()]
  const endsOn = new Date(shop.clock.now().getTime() + 45 * 86_400_000).toISOString().slice(0, 10)
  const wish = { grounds: 'ordinary' as const, endsOn }
  await gone.call(contract.cancel, { ...declared(gone.user.email), ...wish })
  await shop.settle()
  const { id } = await buyer.call(contract.cancel, { ...declared(buyer.user.email), ...wish })
  await shop.settle()
  expect(await stored(id)).toMatchObject({ state: 'confirmed' })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  await shop.advance(1, 'month')
  await shop.advance(1, 'hour')
  // Someone deleted its subscription at Stripe.
  await shop.connection.db
    .update(purchaseRows)
    .set({ stripeSubscriptionId: 'sub_gone' })
    .where(eq(purchaseRows.id, gone.purchase.id))
  await expect(shop.queue.runNow('carry-out-declarations')).rejects.toThrow('1 of 2 declarations')
  expect(await stored(id)).toMatchObject({ state: 'done' })
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel' }])
})

test('declarations are deleted three years later, at the end of the year', async () => {
  const all = () => shop.connection.db.select().from(declarations)
  await shop.visitor().call(contract.withdraw, declared('old@example.com'))
  await shop.settle()
  const before = await all()
  const until = (year: number, day: number) =>
    shop.clock.advance({ days: (Date.UTC(year, 0, day) - shop.clock.now().getTime()) / 86_400_000 })
  const years = before.map(({ declaredAt }) => declaredAt.getUTCFullYear())
  until(Math.min(...years) + 3, 365)
  await shop.queue.runNow('forget-declarations')
  expect(await all()).toHaveLength(before.length)
  until(Math.max(...years) + 5, 2)
  await shop.queue.runNow('forget-declarations')
  expect(await all()).toEqual([])
})
