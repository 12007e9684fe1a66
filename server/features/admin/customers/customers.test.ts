import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { audit } from '#contract/admin/activity.ts'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { contact } from '#contract/site/contact.ts'
import { messages } from '#contract/site/messages.ts'
import { customerNotes, logins, sentMails } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())

const mailsTo = async (email: string) => (await shop.mails()).filter(({ to }) => to === email)
const timelineOf = async (id: string) => {
  await shop.queue.waitUntilIdle()
  return admin.call(customers.adminTimeline, { id, limit: 200 })
}

test('a customer’s page shows the account, purchases, payments and notes', async () => {
  const buyer = await shop.buyer()
  const { id } = buyer.user
  await admin.call(customers.adminAddNote, { id, text: 'Prefers short answers' })
  expect(await admin.call(customers.adminShow, { id })).toMatchObject({
    email: buyer.user.email,
    hasPassword: true,
    verifiedAt: null,
    purchases: [{ id: buyer.purchase.id, status: 'active' }],
    notes: [{ text: 'Prefers short answers', author: admin.user.name }],
  })
  expect(await admin.call(customers.adminPayments, { id })).toMatchObject({
    paid: 3900,
    refunded: 0,
    documents: [{ kind: 'invoice', amount: 3900, status: 'paid' }],
  })
  await admin.call(purchasesAdmin.refund, { id: buyer.purchase.id, amount: 900, refundedSoFar: 0 })
  await shop.queue.waitUntilIdle()
  expect(await admin.call(customers.adminPayments, { id })).toMatchObject({
    paid: 3000,
    refunded: 900,
    documents: [{ kind: 'credit_note', amount: 900 }, { kind: 'invoice' }],
  })
  const { notes } = await admin.call(customers.adminShow, { id })
  await admin.call(customers.adminDeleteNote, { id: notes[0]?.id ?? '' })
  expect(await admin.call(customers.adminShow, { id })).toMatchObject({ notes: [] })
  await expect(admin.call(customers.adminAddNote, { id: randomUUID(), text: 'Nobody there' })).rejects.toMatchObject({
    status: 404,
  })
})

test('the timeline lists purchases, emails, messages, access, logins and staff actions, newest first, page by page', async () => {
  const buyer = await shop.buyer()
  const { id, email } = buyer.user
  await buyer.call(access.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername: 'timely',
    apiKey: 'k',
    secretKey: 's',
  })
  const [waiting] = (await admin.call(customers.adminShow, { id })).access
  await admin.call(accessAdmin.decline, { ids: [waiting?.id ?? ''], reason: 'No such name', subscription: 'keep' })
  await shop.visitor().call(accounts.login, { email, password: buyer.password })
  const names = { firstName: 'Tim', lastName: 'Ely' }
  await buyer.call(contact.send, { ...names, email: 'elsewhere@example.com', message: 'From my account' })
  await shop.visitor().call(contact.send, { ...names, email, message: 'With my address' })
  await shop.visitor().call(contact.send, { ...names, email: 'other@example.com', message: 'Not mine' })
  const timeline = await timelineOf(id)
  expect(new Set(timeline.map(({ kind }) => kind))).toEqual(
    new Set(['purchase', 'mail', 'message', 'access', 'login', 'staff']),
  )
  const times = timeline.map(({ at }) => at)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(timeline.map(({ title }) => title)).toEqual(
    expect.arrayContaining(['Subscribed', 'Asked for access', 'Declined', 'Logged in', 'Declined access']),
  )
  expect(timeline).toContainEqual(expect.objectContaining({ title: 'Declined', detail: 'timely: No such name' }))

  expect(timeline.filter(({ kind }) => kind === 'message')).toMatchObject([
    { title: 'Wrote: “With my address”', detail: 'same address, not logged in' },
    { title: 'Wrote: “From my account”', detail: '' },
  ])
  const listedMessages = await admin.call(messages.adminList, { customerId: id })
  expect(listedMessages.map(({ message, customerId }) => [message, customerId])).toEqual([
    ['With my address', id],
    ['From my account', id],
  ])

  const pagedEntries = []
  let query: string | undefined = 'limit=3'
  while (query) {
    const response = await admin.fetch(`/api/admin/customers/${id}/timeline?${query}`, {})
    pagedEntries.push(...(await response.json()))
    const cursor = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
    query = cursor && `limit=3&cursor=${cursor}`
  }
  expect(pagedEntries).toEqual(timeline)
})

describe('an email', () => {
  test('is shown as it was sent, without links that contain a secret', async () => {
    const buyer = await shop.buyer()
    await admin.call(customers.adminSendPasswordLink, { id: buyer.user.id })
    const timeline = await timelineOf(buyer.user.id)
    const sent = await mailsTo(buyer.user.email)
    for (const mail of sent) {
      const { mailId } = timeline.find(({ title }) => title === mail.subject) ?? {}
      const shownMail = await admin.call(customers.adminMail, { id: mailId ?? '' })
      const sentText = mail.text.replaceAll('\r\n', '\n').trim()
      expect(shownMail.text.trim()).toBe(sentText.replaceAll(/\S*token=\S*/g, '[link removed]'))
    }
    const stored = JSON.stringify(await shop.connection.db.select().from(sentMails))
    const tokens = sent.flatMap(({ text }) => [...text.matchAll(/token=(\S+)/g)].map((match) => match[1] ?? ''))
    expect(tokens.length).toBeGreaterThan(1)
    for (const token of tokens) expect(stored).not.toContain(token)
    expect(stored).toContain('[link removed]')
  })

  test('can be sent again to the current address, unless its link works only once', async () => {
    const buyer = await shop.buyer()
    const { id, email } = buyer.user
    await admin.call(customers.adminSendPasswordLink, { id })
    const timeline = await timelineOf(id)
    const idOf = (subject: RegExp) => timeline.find(({ title }) => subject.test(title))?.mailId ?? ''
    await admin.call(customers.adminResend, { id: idOf(/receipt/) })
    expect((await mailsTo(email)).filter(({ subject }) => /receipt/.test(subject))).toHaveLength(2)
    const link = idOf(/password/)
    expect(await admin.call(customers.adminMail, { id: link })).toMatchObject({ isResendable: false })
    await expect(admin.call(customers.adminResend, { id: link })).rejects.toMatchObject({ status: 409 })
  })

  test('is sent by hand at most ten times a day to one person, links and copies together', async () => {
    const { user } = await shop.buyer()
    const timeline = await timelineOf(user.id)
    const id = timeline.find(({ title }) => /receipt/.test(title))?.mailId ?? ''
    for (let count = 0; count < 5; count++) {
      await admin.call(customers.adminSendPasswordLink, { id: user.id })
      await admin.call(customers.adminResend, { id })
    }
    const countBefore = (await mailsTo(user.email)).length
    const refusal = { status: 429, serverMessage: expect.stringMatching(/^We’ve sent this person ten emails/) }
    await expect(admin.call(customers.adminSendPasswordLink, { id: user.id })).rejects.toMatchObject(refusal)
    await expect(admin.call(customers.adminResend, { id })).rejects.toMatchObject(refusal)
    expect(await mailsTo(user.email)).toHaveLength(countBefore)
    shop.clock.advance({ hours: 25 })
    admin = await shop.admin()
    await admin.call(customers.adminResend, { id })
    expect(await mailsTo(user.email)).toHaveLength(countBefore + 1)
  })

  test('to the seller is not in any timeline, and emails are deleted after 30 days', async () => {
    expect(await admin.call(customers.adminTimeline, { id: admin.user.id })).not.toContainEqual(
      expect.objectContaining({ kind: 'mail' }),
    )
    const buyer = await shop.buyer()
    await shop.queue.waitUntilIdle()
    const { db } = shop.connection
    const monthAgo = new Date(Date.now() - 31 * 86_400_000)
    await db.update(sentMails).set({ sentAt: monthAgo }).where(eq(sentMails.userId, buyer.user.id))
    await shop.queue.runNow('forget-old-mails')
    expect(await db.select().from(sentMails).where(eq(sentMails.userId, buyer.user.id))).toEqual([])
  })
})

describe('a corrected email', () => {
  test('is announced to both addresses, ends sessions and old links, and is proven by a new link', async () => {
    const buyer = await shop.buyer()
    const { id, email: oldEmail } = buyer.user
    await admin.call(customers.adminSendPasswordLink, { id })
    const tokenIn = (text: string | undefined) => /token=(\S+)/.exec(text ?? '')?.[1] ?? ''
    const oldLink = tokenIn((await mailsTo(oldEmail)).find(({ subject }) => /password/.test(subject))?.text)
    const newEmail = oldEmail.replace('@', '.right@')
    await admin.call(customers.adminCorrectEmail, { id, email: newEmail })

    await expect(buyer.call(purchases.list, {})).rejects.toMatchObject({ status: 401 })
    await expect(
      shop.visitor().call(accounts.resetPassword, { token: oldLink, newPassword: 'stolen it' }),
    ).rejects.toMatchObject({ status: 400 })
    expect((await mailsTo(oldEmail)).map(({ subject }) => subject)).toContain(
      'The email address of your account was changed',
    )
    expect((await mailsTo(oldEmail)).some(({ text }) => text.includes(newEmail))).toBe(false)
    const [mail] = await mailsTo(newEmail)
    await shop.visitor().call(accounts.resetPassword, { token: tokenIn(mail?.text), newPassword: 'a password of mine' })
    const returningBuyer = shop.visitor()
    await returningBuyer.call(accounts.login, { email: newEmail, password: 'a password of mine' })
    expect(await returningBuyer.call(purchases.list, {})).toMatchObject([{ id: buyer.purchase.id }])
    expect(await admin.call(audit.adminList, { q: 'user.correct-email' })).toMatchObject([{ subject: newEmail }])
  })

  test('is refused for an admin’s account, and for an address that is taken', async () => {
    const [person, addressHolder] = [await shop.user(), await shop.user()]
    const correct = (id: string, email: string) => admin.call(customers.adminCorrectEmail, { id, email })
    await expect(correct(admin.user.id, 'new@example.com')).rejects.toMatchObject({ status: 409 })
    await expect(correct(person.user.id, addressHolder.user.email)).rejects.toMatchObject({ status: 409 })
    await expect(correct(person.user.id, person.user.email)).rejects.toMatchObject({ status: 409 })
    expect(await mailsTo('new@example.com')).toEqual([])
  })
})

describe('seeing as the buyer', () => {
  test('shows what the buyer’s own calls answer, and is recorded', async () => {
    const buyer = await shop.buyer()
    const seen = await admin.call(customers.adminSeeAs, { id: buyer.user.id })
    expect(seen.purchases).toEqual(await buyer.call(purchases.list, {}))
    expect(seen.access).toEqual(await buyer.call(access.mine, {}))
    expect(seen.user).toMatchObject({ email: buyer.user.email })
    expect(seen.privatePackage).not.toBeNull()
    expect(await admin.call(audit.adminList, { q: 'user.see-as' })).toMatchObject([
      { subject: buyer.user.email, actorEmail: admin.user.email },
    ])
  })

  test('opens no session for the admin and changes nothing', async () => {
    const buyer = await shop.buyer()
    const devicesBefore = await buyer.call(accounts.devices, {})
    const response = await admin.fetch(`/api/admin/customers/${buyer.user.id}/dashboard`, {})
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await buyer.call(accounts.devices, {})).toEqual(devicesBefore)
    expect(await admin.call(accounts.user, {})).toMatchObject({ id: admin.user.id })
    const { id } = buyer.purchase
    for (const call of [purchases.cancel, purchases.resume, purchases.invoices])
      await expect(admin.call(call, { id })).rejects.toMatchObject({ status: 404 })
    await expect(
      admin.fetch(`/api/admin/customers/${buyer.user.id}/dashboard`, { method: 'POST' }),
    ).resolves.toMatchObject({ status: 404 })
  })

  test('is refused for an admin’s account', async () => {
    await expect(admin.call(customers.adminSeeAs, { id: admin.user.id })).rejects.toMatchObject({ status: 409 })
  })
})

test('an extended subscription is not charged before the day given, and the buyer is told', async () => {
  await using ownShop = await openShop()
  const seller = await ownShop.admin()
  const buyer = await ownShop.buyer()
  const { id, currentPeriodEnd } = buyer.purchase
  const until = new Date(Date.parse(currentPeriodEnd ?? '') + 14 * 86_400_000).toISOString().slice(0, 10)
  await seller.call(purchasesAdmin.extend, { id, until })
  const [extended] = await buyer.call(purchases.list, {})
  expect(extended).toMatchObject({ status: 'active', currentPeriodEnd: `${until}T23:59:00.000Z` })
  expect((await ownShop.mails()).at(-1)).toMatchObject({
    to: buyer.user.email,
    subject: expect.stringContaining('More time'),
  })
  const paidSoFar = async () =>
    (await (await ownShop.admin()).call(customers.adminPayments, { id: buyer.user.id })).paid
  await ownShop.advance(1, 'month')
  expect(await paidSoFar()).toBe(3900)
  await ownShop.advance(16, 'day')
  expect(await paidSoFar()).toBe(7800)
  const laterAdmin = await ownShop.admin()
  expect(await laterAdmin.call(purchasesAdmin.list, { q: buyer.user.email })).toMatchObject([{ status: 'active' }])
  await expect(laterAdmin.call(purchasesAdmin.extend, { id, until })).rejects.toMatchObject({ status: 400 })
})

test('an extension that Stripe refuses is refused in Stripe’s words, and nobody is told of more time', async () => {
  await using ownShop = await openShop()
  const buyer = await ownShop.buyer({ billing: 'yearly' })
  await ownShop.advance(1, 'year')
  const until = new Date(ownShop.clock.now().getTime() + 700 * 86_400_000).toISOString().slice(0, 10)
  const seller = await ownShop.admin()
  await expect(seller.call(purchasesAdmin.extend, { id: buyer.purchase.id, until })).rejects.toMatchObject({
    status: 409,
    serverMessage: expect.stringContaining('two years after the billing cycle anchor'),
  })
  expect((await ownShop.mails()).map(({ subject }) => subject).join()).not.toContain('More time')
})

test('“my data” contains notes, emails and logins, and deleting the account deletes them', async () => {
  const buyer = await shop.verifiedUser()
  await shop.buy(buyer)
  const { id } = buyer.user
  await admin.call(customers.adminAddNote, { id, text: 'Wrote a kind email' })
  await shop.queue.waitUntilIdle()
  expect(await buyer.call(accounts.myData, {})).toMatchObject({
    notesAboutYou: [{ text: 'Wrote a kind email' }],
    emails: expect.arrayContaining([expect.objectContaining({ subject: expect.stringContaining('receipt') })]),
    logins: expect.arrayContaining([expect.objectContaining({ ip: expect.any(String) })]),
  })
  await admin.call(accountsAdmin.delete, { id })
  await shop.queue.waitUntilIdle()
  for (const table of [customerNotes, sentMails, logins])
    expect(await shop.connection.db.select().from(table).where(eq(table.userId, id))).toEqual([])
  await expect(admin.call(customers.adminShow, { id })).rejects.toMatchObject({ status: 404 })
})

test('staff can write to a customer, and the timeline shows the amount and reason of a refund', async () => {
  const [support, buyer] = [await shop.staff('support'), await shop.buyer()]
  const { id, email } = buyer.user
  await support.call(customers.adminWrite, { id, subject: 'Your list', text: 'It is new today.' })
  await admin.call(purchasesAdmin.refund, {
    id: buyer.purchase.id,
    amount: 900,
    refundedSoFar: 0,
    reason: 'requested_by_customer',
  })
  const titles = (await timelineOf(id)).map(({ title }) => title)
  expect(titles).toContain('Wrote to a customer')
  expect(titles).toContainEqual(expect.stringMatching(/^Refunded a payment, \$9\.00, \w+/))
  expect((await mailsTo(email)).find(({ subject }) => subject === 'Your list')?.text).toContain('It is new today.')
})

test('support can’t see an admin’s timeline, and deletes only their own notes', async () => {
  const [support, buyer] = [await shop.staff('support'), await shop.buyer()]
  await expect(support.call(customers.adminTimeline, { id: admin.user.id })).rejects.toMatchObject({ status: 403 })
  await admin.call(customers.adminAddNote, { id: buyer.user.id, text: 'By the admin' })
  await support.call(customers.adminAddNote, { id: buyer.user.id, text: 'By support' })
  const { notes } = await support.call(customers.adminShow, { id: buyer.user.id })
  const noteOf = (text: string) => ({ id: notes.find((note) => note.text === text)?.id ?? '' })
  await expect(support.call(customers.adminDeleteNote, noteOf('By the admin'))).rejects.toMatchObject({ status: 403 })
  await support.call(customers.adminDeleteNote, noteOf('By support'))
  const customer = await admin.call(customers.adminShow, { id: buyer.user.id })
  expect(customer.notes).toMatchObject([{ text: 'By the admin' }])
})
