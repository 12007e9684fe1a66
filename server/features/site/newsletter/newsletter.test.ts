import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newsletter, newsletterVersion } from '#contract/site/newsletter.ts'
import { newsletterAddresses } from '#contract/site/newsletters.ts'
import { newsletterSubscriptions } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

let count = 0
const newAddress = () => `reader-${++count}@example.com`

const rowsOf = (email: string) =>
  shop.connection.db.select().from(newsletterSubscriptions).where(eq(newsletterSubscriptions.email, email))

const mailsTo = async (email: string) => (await shop.mails()).filter((mail) => mail.to === email)

function linkIn(text: string | undefined) {
  const { pathname, searchParams } = new URL(/https?:\/\/[^\s>]+\/newsletter\/[^\s>]+/.exec(text ?? '')?.[0] ?? '')
  return { pathname, id: searchParams.get('id') ?? '', token: searchParams.get('token') ?? '' }
}

async function subscribe(email: string) {
  await shop.visitor().call(newsletter.subscribe, { email })
  const mail = (await mailsTo(email)).at(-1)
  return { mail, confirm: linkIn(mail?.text), unsubscribe: linkIn(mail?.headers['list-unsubscribe']) }
}

const status = async (email: string) => {
  const [row] = await rowsOf(email)
  if (!row) return undefined
  if (row.unsubscribedAt) return 'left'
  return row.confirmedAt ? 'subscribed' : 'asked'
}

test('a confirmation that fails halfway has not happened', async () => {
  const email = newAddress()
  const { confirm } = await subscribe(email)
  const { id, token } = confirm
  const { db } = shop.connection
  await db.execute(
    sql`create function fail() returns trigger language plpgsql as $$ begin raise exception 'failed'; end $$`,
  )
  await db.execute(
    sql`create trigger fail before delete on mail_suppressions for each statement execute function fail()`,
  )
  await expect(shop.visitor().call(newsletter.confirm, { id, token })).rejects.toMatchObject({ status: 500 })
  await db.execute(sql`drop function fail() cascade`)
  expect(await status(email)).toBe('asked')
  await shop.visitor().call(newsletter.confirm, { id, token })
  expect(await status(email)).toBe('subscribed')
})

test('the consent can be proven: its text, page and times, and where both steps came from', async () => {
  const email = newAddress()
  await shop
    .visitor()
    .fetch('/api/newsletter/subscribe', {
      method: 'POST',
      body: JSON.stringify({ email }),
      headers: { 'content-type': 'application/json', referer: `${shop.url}/products?secret=1` },
    })
  const { id, token } = linkIn((await mailsTo(email)).at(-1)?.text)
  await shop.visitor().call(newsletter.confirm, { id, token })
  const [row] = await rowsOf(email)
  expect(row).toMatchObject({
    consentVersion: newsletterVersion,
    requestedOn: '/products',
    createdAt: expect.any(Date),
    // A hash of the IP address.
    requestedFrom: expect.stringMatching(/^[\w-]{43}$/),
    confirmedAt: expect.any(Date),
    confirmedFrom: row?.requestedFrom,
  })
})

test('a reader is subscribed after confirming by email, not before', async () => {
  const email = newAddress()
  const { confirm } = await subscribe(email)
  expect(confirm.pathname).toBe('/newsletter/confirm')
  expect(await status(email)).toBe('asked')
  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })
  expect(await status(email)).toBe('subscribed')
  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })
  expect(await status(email)).toBe('subscribed')
})

test('a known address is stored once, gets the same answer, and isn’t emailed again', async () => {
  const email = newAddress()
  const first = await shop.visitor().call(newsletter.subscribe, { email })
  const { confirm } = await subscribe(email)
  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })
  const secondAnswer = await shop.visitor().call(newsletter.subscribe, { email: ` ${email.toUpperCase()} ` })
  expect(secondAnswer).toEqual(first)
  expect(await rowsOf(email)).toHaveLength(1)
  expect(await mailsTo(email)).toHaveLength(2)
})

test('a hundred requests for one address send at most three emails', async () => {
  const email = newAddress()
  await Promise.all(Array.from({ length: 100 }, () => shop.visitor().call(newsletter.subscribe, { email })))
  expect(await rowsOf(email)).toHaveLength(1)
  expect(await mailsTo(email)).toHaveLength(3)
})

test('an email client unsubscribes with one click, per RFC 8058', async () => {
  const email = newAddress()
  const { mail, confirm, unsubscribe } = await subscribe(email)
  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })
  expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  const address = mail?.headers['list-unsubscribe']?.slice(1, -1) ?? ''

  await shop.visitor().fetch(address)
  expect(await status(email)).toBe('subscribed')

  for (const contentType of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const response = await shop
      .visitor()
      .fetch(address, { method: 'POST', headers: { 'content-type': contentType }, body: 'List-Unsubscribe=One-Click' })
    expect(response.status).toBe(200)
    expect(await status(email)).toBe('left')
  }

  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })
  expect(await status(email)).toBe('subscribed')
  await shop.visitor().call(newsletter.unsubscribe, { id: unsubscribe.id, token: unsubscribe.token })
  expect(await status(email)).toBe('left')
})

test('the confirm link doesn’t unsubscribe, and one reader’s link doesn’t work for another', async () => {
  const [reader, otherReader] = [await subscribe(newAddress()), await subscribe(newAddress())]
  const refused = { status: 400, serverMessage: 'This link is not valid' }
  for (const [endpoint, token] of [
    [newsletter.confirm, otherReader.confirm.token],
    [newsletter.confirm, reader.unsubscribe.token],
    [newsletter.unsubscribe, reader.confirm.token],
    [newsletter.unsubscribe, ''],
  ] as const)
    await expect(shop.visitor().call(endpoint, { id: reader.confirm.id, token })).rejects.toMatchObject(refused)
  const forged = await shop.visitor().fetch('/newsletter/unsubscribe?id=1&token=2', { method: 'POST' })
  expect(forged.status).toBe(400)
})

test('whoever signs up again gets a link that works for a week, also long after the first request', async () => {
  const again = newAddress()
  await subscribe(again)
  shop.clock.advance({ days: 7, hours: -1 })
  const { confirm } = await subscribe(again)
  shop.clock.advance({ days: 6 })
  await shop.queue.runNow('forget-newsletter-addresses')
  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })
  expect(await status(again)).toBe('subscribed')

  const left = newAddress()
  const links = await subscribe(left)
  await shop.visitor().call(newsletter.confirm, { id: links.confirm.id, token: links.confirm.token })
  await shop.visitor().call(newsletter.unsubscribe, { id: links.unsubscribe.id, token: links.unsubscribe.token })
  shop.clock.advance({ days: 7, hours: -1 })
  const returned = await subscribe(left)
  shop.clock.advance({ days: 1 })
  await shop.queue.runNow('forget-newsletter-addresses')
  await shop.visitor().call(newsletter.confirm, { id: returned.confirm.id, token: returned.confirm.token })
  expect(await status(left)).toBe('subscribed')
})

test('an address that never confirmed, or unsubscribed, is deleted after a week; readers stay', async () => {
  const [unconfirmed, unsubscribed, reader] = [newAddress(), newAddress(), newAddress()]
  const unconfirmedLinks = await subscribe(unconfirmed)
  const unsubscribedLinks = await subscribe(unsubscribed)
  await shop
    .visitor()
    .call(newsletter.confirm, { id: unsubscribedLinks.confirm.id, token: unsubscribedLinks.confirm.token })
  await shop
    .visitor()
    .call(newsletter.unsubscribe, { id: unsubscribedLinks.unsubscribe.id, token: unsubscribedLinks.unsubscribe.token })
  const { confirm } = await subscribe(reader)
  await shop.visitor().call(newsletter.confirm, { id: confirm.id, token: confirm.token })

  await shop.queue.runNow('forget-newsletter-addresses')
  expect(await status(unconfirmed)).toBe('asked')
  shop.clock.advance({ days: 8 })
  await shop.queue.runNow('forget-newsletter-addresses')

  expect(await status(unconfirmed)).toBeUndefined()
  expect(await status(unsubscribed)).toBeUndefined()
  expect(await status(reader)).toBe('subscribed')
  const { id, token } = unconfirmedLinks.confirm
  await expect(shop.visitor().call(newsletter.confirm, { id, token })).rejects.toMatchObject({
    status: 410,
    serverMessage: 'This link has expired. Please subscribe again.',
  })
  await shop
    .visitor()
    .call(newsletter.unsubscribe, { id: unsubscribedLinks.unsubscribe.id, token: unsubscribedLinks.unsubscribe.token })
})

test('anything that isn’t an address is refused', async () => {
  for (const email of ['', 'nobody', 'a@b.example\r\nBcc: c@d.example', `${'a'.repeat(250)}@example.com`])
    await expect(shop.visitor().call(newsletter.subscribe, { email })).rejects.toMatchObject({ status: 400 })
})

test('the seller lists, searches and exports the addresses by state', async () => {
  await using ownShop = await openShop()
  const { db } = ownShop.connection
  const at = ownShop.clock.now()
  await db
    .insert(newsletterSubscriptions)
    .values([
      { email: 'asked@example.com' },
      { email: 'reader@example.com', confirmedAt: at },
      { email: 'gone@example.com', confirmedAt: at, unsubscribedAt: at },
    ])
  const admin = await ownShop.admin()
  const listAddresses = async (filter: { q?: string; state?: 'asked' | 'subscribed' | 'left' }) =>
    (await admin.call(newsletterAddresses.adminList, filter)).map(({ email, state }) => `${email} ${state}`)
  expect((await listAddresses({})).toSorted()).toEqual([
    'asked@example.com asked',
    'gone@example.com left',
    'reader@example.com subscribed',
  ])
  expect(await listAddresses({ q: 'READ' })).toEqual(['reader@example.com subscribed'])
  for (const state of ['asked', 'subscribed', 'left'] as const) {
    const [listedLine = ''] = await listAddresses({ state })
    const response = await admin.send(newsletterAddresses.adminExport, { state })
    expect(response.headers.get('content-disposition')).toContain(`newsletter-${state}-`)
    const lines = (await response.text()).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(listedLine.replace(' ', ','))
  }
})
