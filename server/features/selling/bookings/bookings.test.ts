import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { audit } from '#contract/admin/activity.ts'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
// Logins expire, because the clock moves from test to test.
beforeEach(async () => {
  admin = await shop.admin()
})
beforeAll(async () => {
  shop = await openShop({ startsAt: new Date('2027-03-01T10:00:00Z') })
})
afterAll(() => shop.close())

const inDays = (days: number) => new Date(shop.clock.now().getTime() + days * 86_400_000)

type BookingOptions = { kind?: 'gift' | 'paid_elsewhere'; reason?: string; endsAt?: string; invite?: boolean }
async function book(userId: string, options: BookingOptions = {}) {
  await admin.call(purchasesAdmin.add, {
    userId,
    productId: reboundSigmaPro.id,
    billingType: 'monthly',
    amount: 3900,
    status: 'active',
    ...options,
  })
}

type Buyer = Awaited<ReturnType<TestShop['user']>>
async function onlyPurchaseOf(buyer: Buyer) {
  const [purchase] = await buyer.call(purchases.list, {})
  if (!purchase) throw new Error('There is no purchase')
  return purchase
}
const mailsTo = async ({ user }: Buyer) => (await shop.mails()).filter(({ to }) => to === user.email)

test('a booking with an end expires at that minute, a week after an email with a link to subscribe', async () => {
  const buyer = await shop.verifiedUser()
  const endsAt = inDays(20).toISOString()
  await book(buyer.user.id, { kind: 'paid_elsewhere', reason: 'Paid by wire', endsAt })
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'active', kind: 'paid_elsewhere', endsAt })
  expect(await onlyPurchaseOf(buyer)).not.toHaveProperty('reason')
  expect(await buyer.call(access.mine, {})).toMatchObject([{ until: endsAt, reason: 'ends' }])
  expect(await admin.call(purchasesAdmin.list, { q: buyer.user.email })).toMatchObject([
    { reason: 'Paid by wire', endsAt },
  ])
  expect(await buyer.call(accounts.myData, {})).toMatchObject({ purchases: [{ bookedByHandBecause: 'Paid by wire' }] })

  shop.clock.advance({ days: 12 })
  await shop.queue.runNow('ending-notices')
  expect((await mailsTo(buyer)).filter(({ subject }) => subject.includes('ends on'))).toEqual([])
  shop.clock.advance({ days: 1 })
  await shop.queue.runNow('ending-notices')
  await shop.queue.runNow('ending-notices')
  const notices = (await mailsTo(buyer)).filter(({ subject }) => subject.includes('ends on'))
  expect(notices).toHaveLength(1)
  expect(notices[0]?.text).toContain('/checkout?product=rebound-sigma-pro&billing=monthly')

  shop.clock.advance({ days: 6, hours: 23, minutes: 58 })
  await shop.queue.runNow('end-booked')
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'active' })
  shop.clock.advance({ minutes: 3 })
  await shop.queue.runNow('end-booked')
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'expired', endedBecause: null, endedAt: endsAt })
  expect((await mailsTo(buyer)).at(-1)?.subject).toBe('Your subscription to Rebound Sigma Pro has ended')
})

test('a booking keeps its end when its buyer cancels and resumes it', async () => {
  const buyer = await shop.verifiedUser()
  const endsAt = inDays(20).toISOString()
  await book(buyer.user.id, { endsAt })
  const { id } = await onlyPurchaseOf(buyer)
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt, refund: 0 })
  await buyer.call(purchases.cancel, { id })
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'pending_cancel', endsAt })
  await buyer.call(purchases.resume, { id })
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'active', endsAt })
  await expect(buyer.call(purchases.invoice, { id })).rejects.toMatchObject({
    serverMessage: 'There is no invoice for this purchase: it was not paid through this shop',
  })
})

test('a booking without an end has none again after it is cancelled, extended and resumed', async () => {
  const buyer = await shop.verifiedUser()
  await book(buyer.user.id)
  const { id } = await onlyPurchaseOf(buyer)
  await buyer.call(purchases.cancel, { id })
  const until = inDays(60).toISOString().slice(0, 10)
  await admin.call(purchasesAdmin.extend, { id, until })
  expect(await onlyPurchaseOf(buyer)).toMatchObject({
    status: 'pending_cancel',
    endsAt: expect.stringContaining(until),
  })
  await buyer.call(purchases.resume, { id })
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'active', endsAt: null })
})

test('a buyer who subscribes before the booking ends keeps access and gets no email about the end', async () => {
  const buyer = await shop.verifiedUser()
  await book(buyer.user.id, { endsAt: inDays(5).toISOString() })
  const { id } = await onlyPurchaseOf(buyer)
  await buyer.call(access.submitForPurchase, {
    purchaseId: id,
    exchangeName: 'Kraken',
    tradingViewUsername: 'wire_trader',
    apiKey: 'k',
    secretKey: 's',
  })
  const [request] = await admin.call(accessAdmin.todo, {})
  await admin.call(accessAdmin.grant, { ids: [request?.id ?? ''] })
  await shop.buy(buyer, {})
  shop.clock.advance({ days: 2 })
  await shop.queue.runNow('ending-notices')
  shop.clock.advance({ days: 4 })
  await shop.queue.runNow('end-booked')
  const owned = await buyer.call(purchases.list, {})
  expect(owned.map(({ status }) => status).toSorted()).toEqual(['active', 'expired'])
  const freshAdmin = await shop.admin()
  expect(await freshAdmin.call(accessAdmin.todo, {})).toEqual([])
  const subjects = (await mailsTo(buyer)).map(({ subject }) => subject)
  expect(subjects.filter((subject) => /end/.test(subject))).toEqual([])
})

test('a booking that the seller cancels ends immediately, with one email and one entry in the audit log', async () => {
  const buyer = await shop.verifiedUser()
  await book(buyer.user.id, { endsAt: inDays(20).toISOString() })
  const { id } = await onlyPurchaseOf(buyer)
  await admin.call(purchasesAdmin.cancel, { id })
  await admin.call(purchasesAdmin.cancel, { id })
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ status: 'cancelled', endedBecause: 'cancelled', endsAt: null })
  expect(await buyer.call(access.mine, {})).toEqual([])
  const subjects = (await mailsTo(buyer)).map(({ subject }) => subject)
  const ended = 'Your subscription to Rebound Sigma Pro has ended'
  expect(subjects.filter((subject) => subject === ended)).toHaveLength(1)
  const entries = await admin.call(audit.adminList, { q: 'purchase.cancel' })
  expect(entries.filter(({ subject }) => subject === id)).toHaveLength(1)
})

test('a booking without an end blocks a second subscription', async () => {
  const buyer = await shop.verifiedUser()
  await book(buyer.user.id)
  expect(await onlyPurchaseOf(buyer)).toMatchObject({ endsAt: null, kind: null })
  await expect(shop.buy(buyer, {})).rejects.toMatchObject({ status: 409 })
})

test('a gift doesn’t count as revenue', async () => {
  const readFigures = async () => (await admin.call(overview.adminShow, {})).months.at(-1)
  const { arr = 0, paying } = (await readFigures()) ?? {}
  const [friend, payer] = [await shop.verifiedUser(), await shop.verifiedUser()]
  await book(friend.user.id, { kind: 'gift' })
  expect(await readFigures()).toMatchObject({ arr, paying })
  await book(payer.user.id, { kind: 'paid_elsewhere' })
  const arrWithPayer = arr + 12 * 3900
  expect(await readFigures()).toMatchObject({ arr: arrWithPayer })
  await admin.call(purchasesAdmin.delete, { id: (await onlyPurchaseOf(friend)).id })
  expect(await readFigures()).toMatchObject({ arr: arrWithPayer })
})

test('an end in the past is refused at its field', async () => {
  const { user } = await shop.verifiedUser()
  await expect(book(user.id, { endsAt: inDays(-1).toISOString() })).rejects.toMatchObject({
    status: 400,
    fields: { endsAt: 'The end must be in the future' },
  })
})

test('a buyer is invited by email only if the seller wants it, and the audit log omits the reason', async () => {
  const [invited, notInvited] = [await shop.verifiedUser(), await shop.verifiedUser()]
  await book(invited.user.id, { kind: 'gift', reason: 'My cousin Grace', invite: true })
  await book(notInvited.user.id, { kind: 'gift' })
  const subject = 'You have access to Rebound Sigma Pro'
  expect((await mailsTo(invited)).map((mail) => mail.subject)).toContain(subject)
  expect((await mailsTo(notInvited)).map((mail) => mail.subject)).not.toContain(subject)
  await admin.call(purchasesAdmin.delete, { id: (await onlyPurchaseOf(invited)).id })
  const entries = await admin.call(audit.adminList, { q: 'purchase.' })
  expect(entries.length).toBeGreaterThan(3)
  expect(JSON.stringify(entries)).not.toContain('cousin')
})

test('a booking for an unproven address goes to the owner of the mailbox, not to the person who signed up', async () => {
  const stranger = await shop.user()
  await book(stranger.user.id, { kind: 'gift' })
  expect(await stranger.call(accounts.user, {})).toBeNull()
  const friend = shop.visitor()
  await shop.choosePassword(friend, stranger.user.email, 'chosen by the friend')
  expect(await friend.call(purchases.list, {})).toMatchObject([{ kind: 'gift' }])
})

test('a new user is invited by email with a link to choose a password', async () => {
  const person = { password: 'typed by the seller', name: 'Ida', isAdmin: false }
  await admin.call(accountsAdmin.add, { ...person, email: 'ida@example.com', invite: true })
  await admin.call(accountsAdmin.add, { ...person, email: 'silent@example.com' })
  const mails = await shop.mails()
  expect(mails.filter(({ to }) => to === 'silent@example.com')).toEqual([])
  const token = /token=(\S+)/.exec(mails.find(({ to }) => to === 'ida@example.com')?.text ?? '')?.[1] ?? ''
  const newPassword = 'chosen by Ida herself'
  await shop.visitor().call(accounts.resetPassword, { token, newPassword })
  const login = shop.visitor().call(accounts.login, { email: 'ida@example.com', password: newPassword })
  expect(await login).toMatchObject({ name: 'Ida' })
})
