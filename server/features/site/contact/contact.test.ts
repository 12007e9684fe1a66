import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { customerData } from '#contract/identity/staff.ts'
import { contact } from '#contract/site/contact.ts'
import { messages } from '#contract/site/messages.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { contactMessages } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { SUPPORT_EMAIL: 'seller@example.com' } })
})
afterAll(() => shop.close())

const message = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  message: 'Does it work for Zürich?',
}

const storedMessages = (email: string) =>
  shop.connection.db.select().from(contactMessages).where(eq(contactMessages.email, email))

test('a message is stored and emailed to the seller, whose reply goes to the sender', async () => {
  await shop.visitor().call(contact.send, message)
  expect(await storedMessages(message.email)).toMatchObject([message])
  const [mail] = await shop.mails()
  expect(mail).toMatchObject({ to: 'seller@example.com', subject: 'Message from Ada Lovelace' })
  expect(mail?.headers['reply-to']).toBe('Ada Lovelace <ada@example.com>')
  expect(mail?.text).toContain('Does it work for Zürich?')
})

test('a name can’t become a header or HTML', async () => {
  const eve = {
    ...message,
    email: 'eve@example.com',
    firstName: 'Eve, Bcc: everyone@example.com',
    lastName: '"<x@example.com>, <img src=x onerror=alert(1)>',
  }
  await expect(
    shop.visitor().call(contact.send, { ...eve, firstName: 'Eve\r\nBcc: everyone@example.com' }),
  ).rejects.toMatchObject({ status: 400 })
  await shop.visitor().call(contact.send, eve)
  const mail = (await shop.mails()).find(({ headers }) => headers['reply-to']?.includes('eve@example.com'))
  expect(mail?.headers.bcc).toBeUndefined()
  expect(mail?.to).toBe('seller@example.com')
  expect(mail?.html).not.toContain('<img')
  expect(mail?.html).toContain('&lt;img')
})

test('a bot that fills the hidden field gets the usual answer, and nothing happens', async () => {
  const email = 'robot@example.com'
  const answer = await shop.visitor().call(contact.send, { ...message, email, website: 'https://spam.example' })
  expect(answer).toEqual({})
  expect(await storedMessages(email)).toEqual([])
})

test('fields that are too long, empty, or unreadable are refused by name', async () => {
  for (const invalidFields of [
    { firstName: '' },
    { firstName: 'a'.repeat(101) },
    { lastName: ' ' },
    { email: 'a@b' },
    { message: 'a'.repeat(5001) },
    { message: 'NUL\u0000' },
  ])
    await expect(shop.visitor().call(contact.send, { ...message, ...invalidFields })).rejects.toMatchObject({
      status: 400,
      fields: Object.fromEntries(Object.keys(invalidFields).map((name) => [name, expect.any(String)])),
    })
})

test('one visitor can’t flood the seller', async () => {
  await using limitedShop = await openShop({ rateLimits: true })
  for (let sent = 0; sent < 5; sent++) await limitedShop.visitor().call(contact.send, message)
  await expect(limitedShop.visitor().call(contact.send, message)).rejects.toMatchObject({ status: 429 })
  expect(await limitedShop.mails()).toHaveLength(5)
})

test('messages are deleted after two years', async () => {
  await using ownShop = await openShop()
  const { db } = ownShop.connection
  await ownShop.visitor().call(contact.send, { ...message, email: 'a@example.com' })
  ownShop.clock.advance({ days: 729 })
  await ownShop.queue.runNow('forget-contact-messages')
  expect(await db.select().from(contactMessages)).toHaveLength(1)
  ownShop.clock.advance({ days: 2 })
  await ownShop.queue.runNow('forget-contact-messages')
  expect(await db.select().from(contactMessages)).toEqual([])
})

describe('the seller', () => {
  const receiveMessage = async () => {
    const admin = await shop.admin()
    const email = `writer-${randomUUID()}@example.com`
    await shop.visitor().call(contact.send, { ...message, email })
    const [row] = await admin.call(messages.adminList, { q: email })
    if (!row) throw new Error('The message is not listed')
    return { admin, email, row, reload: async () => (await admin.call(messages.adminList, { q: email }))[0] }
  }

  test('finds a message by its words and answers it once, by email', async () => {
    const { admin, email, row, reload } = await receiveMessage()
    const found = await admin.call(messages.adminList, { q: 'zürich', state: 'open' })
    expect(found.map(({ id }) => id)).toContain(row.id)
    await admin.call(messages.adminReply, { id: row.id, answer: 'Yes.\n\nAll exchanges work.' })
    expect(await reload()).toMatchObject({
      answer: 'Yes.\n\nAll exchanges work.',
      answeredAt: expect.any(String),
      answeredBy: admin.user.email,
    })
    const mail = (await shop.mails()).find(({ to }) => to === email)
    expect(mail?.subject).toBe('Our answer to your message')
    expect(mail?.text).toContain('All exchanges work.')
    expect(mail?.headers['reply-to']).toContain('seller@example.com')
    await expect(admin.call(messages.adminReply, { id: row.id, answer: 'Again' })).rejects.toMatchObject({
      status: 409,
    })
    expect(await admin.call(messages.adminList, { q: email, state: 'open' })).toEqual([])
  })

  test('lets support staff answer; the email greets once and is not marked as automatic', async () => {
    const { email, row, reload } = await receiveMessage()
    const support = await shop.staff('support')
    await support.call(messages.adminReply, { id: row.id, answer: 'Hi Ada,\n\nyes, they do.' })
    expect(await reload()).toMatchObject({ answeredBy: support.user.email })
    const mail = (await shop.mails()).find(({ to }) => to === email)
    expect(mail?.headers['auto-submitted']).toBe('no')
    expect(mail?.text.match(/\b(?:hi|hello)\b/gi)).toHaveLength(1)
  })

  test('marks a message that was answered elsewhere, and opens it again', async () => {
    const { admin, email, row, reload } = await receiveMessage()
    await admin.call(messages.adminSettle, { id: row.id, state: 'answered' })
    expect(await reload()).toMatchObject({ answeredAt: expect.any(String), answer: null })
    expect(await admin.call(messages.adminList, { q: email, state: 'answered' })).toHaveLength(1)
    await admin.call(messages.adminSettle, { id: row.id, state: 'open' })
    expect(await reload()).toMatchObject({ answeredAt: null, answeredBy: null })
    expect((await shop.mails()).filter(({ to }) => to === email)).toEqual([])
  })
})

test('a message sent while logged in is part of “my data” and deleted with the account', async () => {
  const sender = await shop.user()
  await sender.call(contact.send, { ...message, email: 'elsewhere@example.com' })
  expect(await sender.call(accounts.myData, {})).toMatchObject({
    contactMessages: [{ email: 'elsewhere@example.com', message: message.message }],
  })
  await sender.call(accounts.deleteMyself, { password: sender.password })
  expect(await storedMessages('elsewhere@example.com')).toEqual([])
})

describe('the answer to a message', () => {
  const sendAndAnswer = async (sender: Visitor, email: string) => {
    const admin = await shop.admin()
    await sender.call(contact.send, { ...message, email })
    const [row] = await admin.call(messages.adminList, { q: email })
    await admin.call(messages.adminReply, { id: row?.id ?? '', answer: 'Your invoice is 0042' })
    await shop.queue.waitUntilIdle()
  }

  test('is not in the data of someone who only signed up with the address', async () => {
    const stranger = await shop.user()
    await sendAndAnswer(shop.visitor(), stranger.user.email)
    const unprovenSender = await shop.user()
    await sendAndAnswer(unprovenSender, unprovenSender.user.email)
    for (const person of [stranger, unprovenSender])
      expect(JSON.stringify(await person.call(accounts.myData, {}))).not.toContain('0042')
  })

  test('is in the data of the address’s proven owner, not of a sender who typed that address', async () => {
    const owner = await shop.verifiedUser()
    await sendAndAnswer(owner, owner.user.email)
    expect(await owner.call(accounts.myData, {})).toMatchObject({
      contactMessages: [{ answer: 'Your invoice is 0042' }],
      emails: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('0042') })]),
    })
    const otherSender = await shop.verifiedUser()
    await sendAndAnswer(otherSender, `other-${randomUUID()}@example.com`)
    expect(await otherSender.call(accounts.myData, {})).toMatchObject({ contactMessages: [{ answer: null }] })
  })
})

test('the file with a customer’s data lists messages and emails that only share their address separately', async () => {
  const customer = await shop.user()
  const { email, id } = customer.user
  await shop.visitor().call(contact.send, { ...message, email })
  await shop.visitor().call(newsletter.subscribe, { email })
  await shop.queue.waitUntilIdle()
  const admin = await shop.admin()
  expect(await admin.call(customerData.adminDownload, { id })).toMatchObject({
    account: { email },
    contactMessages: [],
    emails: [],
    sameAddress: {
      contactMessages: [{ message: message.message }],
      newsletter: { confirmedAt: null },
      emails: [{ subject: expect.any(String) }, { subject: expect.any(String) }],
    },
  })
  expect(await admin.call(audit.adminList, { q: 'user.export' })).toMatchObject([{ subject: email }])
  await expect(admin.call(customerData.adminDownload, { id: randomUUID() })).rejects.toMatchObject({ status: 404 })
})
