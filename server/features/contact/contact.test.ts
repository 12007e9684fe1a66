import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contact } from '#contract/contact.ts'
import { contactMessages } from '../../database/schema.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'

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

const stored = (email: string) =>
  shop.connection.db.select().from(contactMessages).where(eq(contactMessages.email, email))

test('a message is stored and emailed to the seller, whose reply goes to the sender', async () => {
  await shop.visitor().call(contact.send, message)
  expect(await stored(message.email)).toMatchObject([message])
  const [mail] = await shop.mails()
  expect(mail).toMatchObject({ to: 'seller@example.com', subject: 'Message from Ada Lovelace' })
  expect(mail?.headers['reply-to']).toBe('Ada Lovelace <ada@example.com>')
  expect(mail?.text).toContain('Does it work for Zürich?')
})

test('a name can’t become a header or HTML', async () => {
  await shop.visitor().call(contact.send, {
    ...message,
    email: 'eve@example.com',
    firstName: 'Eve\r\nBcc: everyone@example.com',
    lastName: '"<x@example.com>, <img src=x onerror=alert(1)>',
  })
  const mail = (await shop.mails()).find(({ headers }) => headers['reply-to']?.includes('eve@example.com'))
  expect(mail?.headers.bcc).toBeUndefined()
  expect(mail?.to).toBe('seller@example.com')
  expect(mail?.html).not.toContain('<img')
  expect(mail?.html).toContain('&lt;img')
})

test('a bot that fills the hidden field gets the usual answer, and nothing happens', async () => {
  const email = 'robot@example.com'
  const answer = await shop
    .visitor()
    .call(contact.send, { ...message, email, website: 'https://spam.example' })
  expect(answer).toEqual({})
  expect(await stored(email)).toEqual([])
})

test('fields that are too long, empty, or unreadable are refused by name', async () => {
  for (const wrong of [
    { firstName: '' },
    { firstName: 'a'.repeat(101) },
    { lastName: ' ' },
    { email: 'a@b' },
    { message: 'a'.repeat(5001) },
    { message: 'NUL\u0000' },
  ])
    await expect(shop.visitor().call(contact.send, { ...message, ...wrong })).rejects.toMatchObject({
      status: 400,
      fields: Object.fromEntries(Object.keys(wrong).map((name) => [name, expect.any(String)])),
    })
})

test('one visitor can’t flood the seller', async () => {
  await using busy = await openShop({ rateLimits: true })
  for (let sent = 0; sent < 5; sent++) await busy.visitor().call(contact.send, message)
  await expect(busy.visitor().call(contact.send, message)).rejects.toMatchObject({ status: 429 })
  expect(await busy.mails()).toHaveLength(5)
})

test('messages are deleted after two years', async () => {
  await using later = await openShop()
  const { db } = later.connection
  await later.visitor().call(contact.send, { ...message, email: 'a@example.com' })
  later.clock.advance({ days: 729 })
  await later.queue.runNow('forget-contact-messages')
  expect(await db.select().from(contactMessages)).toHaveLength(1)
  later.clock.advance({ days: 2 })
  await later.queue.runNow('forget-contact-messages')
  expect(await db.select().from(contactMessages)).toEqual([])
})
