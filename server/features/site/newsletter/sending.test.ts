import { sql } from 'drizzle-orm'
import { afterEach, expect, test, vi } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { newsletters } from '#contract/site/newsletters.ts'
import { mailSuppressions, newsletterRecipients, newsletterSubscriptions } from '#server/database/schema.ts'
import { poolSize } from '#server/gateways/mail.ts'
import { type OpenShopOptions, openShop } from '#server/testing/open-shop.ts'
import { openSmtp } from '#server/testing/smtp.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const completeSettings = {
  PUBLIC_URL: 'http://localhost:3000',
  SELLER_NAME: 'Ada Lovelace',
  SELLER_STREET: 'Ring 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
  MAIL_RATE: '60000',
  SUPPORT_EMAIL: 'help@shop.test',
}

async function openNewsletterShop(faults: Parameters<typeof openSmtp>[0] = {}, options: OpenShopOptions = {}) {
  const smtp = await openSmtp(faults)
  closers.push(smtp.close)
  const shop = await openShop({ ...options, env: { ...completeSettings, SMTP_URL: smtp.url, ...options.env } })
  closers.push(() => shop.close())
  const admin = await shop.admin()
  const { db } = shop.connection
  return {
    shop,
    smtp,
    admin,
    addReaders: (count: number) =>
      db.execute(
        sql`insert into ${newsletterSubscriptions} (email, confirmed_at) select 'reader' || n || '@example.com', now() from generate_series(1, ${count}) n`,
      ),
    createDraft: (changes: object = {}) => admin.call(newsletters.adminCreate, { ...draft, ...changes }),
    show: (id: string) => admin.call(newsletters.adminShow, { id }),
    run: () => shop.queue.runNow('send-newsletters'),
    recipientStates: async () =>
      (await db.select().from(newsletterRecipients)).map(({ email, state }) => [email, state] as const),
  }
}

const draft = {
  subject: 'Exits are drawn',
  preheader: 'At last',
  markdown: '## New\n\nSee the [changelog](/changelog). <b>Raw</b> [bad](javascript:alert(1))',
  toSubscribers: true,
  buyersOf: null,
}

const decodeSource = (source: string) => source.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n ', ' ')

const addresses = (accepted: { to: string }[]) => accepted.map(({ to }) => to).toSorted()

test('a newsletter goes once to every confirmed address, with an unsubscribe link and the seller’s postal address', async () => {
  const { shop, smtp, admin, addReaders, createDraft, show } = await openNewsletterShop()
  await addReaders(3)
  await shop.visitor().call(newsletter.subscribe, { email: 'unconfirmed@example.com' })
  await shop.queue.waitUntilIdle()
  smtp.accepted.length = 0
  const { id } = await createDraft()
  expect(await show(id)).toMatchObject({ state: 'draft', audience: 3, missing: [], version: 1 })
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(async () => (await show(id)).state).toBe('sent')
  expect(addresses(smtp.accepted)).toEqual([1, 2, 3].map((n) => `reader${n}@example.com`))
  const [mail] = smtp.accepted
  const source = decodeSource(mail?.source ?? '')
  expect(source).toMatch(/^List-Id: <newsletter\.localhost>/im)
  expect(source).toMatch(/^List-Unsubscribe: +<http:\/\/localhost:3000\/newsletter\/unsubscribe\?id=/m)
  expect(source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  expect(source).not.toMatch(/^Auto-Submitted/m)
  expect(source).toContain('Ada Lovelace, Ring 1, 4500 Solothurn, Switzerland')
  expect(source).toContain('&lt;b&gt;Raw&lt;/b&gt;')
  expect(source).not.toContain('href="javascript')

  const [, unsubscribeId = '', token = ''] = /unsubscribe\?id=([\w-]+)&token=([\w-]+)/.exec(source) ?? []
  await shop.visitor().call(newsletter.unsubscribe, { id: unsubscribeId, token })
  expect((await show(id)).counts).toEqual({ waiting: 0, sent: 3, refused: 0, uncertain: 0, unsubscribed: 1 })
  const nextDraft = await createDraft()
  expect(await show(nextDraft.id)).toMatchObject({ audience: 2 })
})

test('two admins can’t overwrite each other’s draft, and a sent newsletter can’t be changed', async () => {
  const { admin, addReaders, createDraft, show } = await openNewsletterShop()
  await addReaders(1)
  const { id } = await createDraft()
  await admin.call(newsletters.adminSave, { id, version: 1, ...draft, subject: 'Second' })
  await expect(admin.call(newsletters.adminSave, { id, version: 1, ...draft, subject: 'Third' })).rejects.toMatchObject(
    {
      status: 409,
      code: 'changed-meanwhile',
      serverMessage: expect.stringMatching(new RegExp(`^${admin.user.name} saved this newsletter on .+ UTC`)),
    },
  )
  await expect(admin.call(newsletters.adminSend, { id, version: 1 })).rejects.toMatchObject({ status: 409 })
  await admin.call(newsletters.adminSend, { id, version: 2 })
  await expect(admin.call(newsletters.adminSave, { id, version: 2, ...draft })).rejects.toMatchObject({
    code: 'already-handled',
  })
  await expect.poll(async () => (await show(id)).state).toBe('sent')
  await expect(admin.call(newsletters.adminDelete, { id })).rejects.toMatchObject({ status: 409 })
})

test('many saves of an outdated draft at once are each refused with the reason', async () => {
  const { admin, createDraft } = await openNewsletterShop()
  const { id } = await createDraft()
  await admin.call(newsletters.adminSave, { id, version: 1, ...draft, subject: 'Second' })
  // Twice as many as the shop's connections to the database.
  const saves = Array.from({ length: 20 }, () => admin.call(newsletters.adminSave, { id, version: 1, ...draft }))
  const outcomes = await Promise.allSettled(saves)
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual(
    saves.map(() => 'changed-meanwhile'),
  )
})

test('a newsletter is not sent without postal address, support address and public address, and the screen says so', async () => {
  const env = { SELLER_NAME: '', SUPPORT_EMAIL: '', PUBLIC_URL: '' }
  const { admin, createDraft, show, smtp } = await openNewsletterShop({}, { env })
  const { id } = await createDraft()
  expect((await show(id)).missing).toEqual([
    expect.stringContaining('postal address'),
    expect.stringContaining('support address'),
    expect.stringContaining('PUBLIC_URL'),
  ])
  await expect(admin.call(newsletters.adminSend, { id, version: 1 })).rejects.toMatchObject({
    code: 'not-ready-to-send',
  })
  expect(await admin.call(newsletters.adminTest, { id })).toEqual({ to: admin.user.email })
  expect(addresses(smtp.accepted)).toEqual([admin.user.email])
})

test('in test mode, a newsletter goes to the outbox; the form shows the size of each audience', async () => {
  const shop = await openShop({ env: completeSettings })
  closers.push(() => shop.close())
  const admin = await shop.admin()
  await shop.connection.db.insert(newsletterSubscriptions).values({ email: 'ada@example.com', confirmedAt: new Date() })
  expect(await admin.call(newsletters.adminAudiences, {})).toEqual({
    subscribers: 1,
    buyers: [{ productId: expect.any(String), count: 0 }],
  })
  const { id } = await admin.call(newsletters.adminCreate, draft)
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await shop.queue.runNow('send-newsletters')
  const sent = (await shop.mails()).filter(({ to }) => to === 'ada@example.com')
  expect(sent.map(({ subject }) => subject)).toEqual(['Exits are drawn'])
})

test('buyers get it only if the checkout said so, the address is proven, and they did not object', async () => {
  const { shop, smtp, admin, createDraft, show, run } = await openNewsletterShop()
  const buyers = []
  for (const news of [
    undefined,
    { version: '2026-11-17' },
    { version: '2026-11-17' },
    { version: '2026-11-17', objects: true },
  ]) {
    const buyer = await shop.user()
    await shop.buy(buyer, news ? { news } : {})
    buyers.push(buyer)
  }
  await shop.queue.waitUntilIdle()
  const productId = await findSoldProductId(shop)
  const [untold, told, unproven, objecting] = buyers
  if (!untold || !told || !unproven || !objecting) throw new Error('Expected four buyers')
  for (const buyer of [untold, told, objecting])
    await shop.connection.db.execute(sql`update users set verified_at = now() where id = ${buyer.user.id}`)
  // A guest who types a customer's address gives no consent for them.
  const account = await shop.user()
  await shop.connection.db.execute(sql`update users set verified_at = now() where id = ${account.user.id}`)
  const guestOrder = { email: account.user.email, news: { version: '2026-11-17' } }
  await shop.pay(await shop.begin(shop.visitor(), guestOrder))
  await shop.settle()
  const { id } = await createDraft({ buyersOf: productId })
  expect(await show(id)).toMatchObject({ audience: 1 })
  // A buyer who also subscribed gets one email.
  await shop.connection.db.insert(newsletterSubscriptions).values({ email: told.user.email, confirmedAt: new Date() })
  expect(await show(id)).toMatchObject({ audience: 1 })
  // The first receipt has a link to unsubscribe, except for a buyer who has objected.
  const findUnsubscribeLink = ({ user }: typeof told) => {
    const mails = smtp.accepted.filter(({ to }) => to === user.email)
    const text = mails.map(({ source }) => decodeSource(source)).join('\n')
    return /unsubscribe\?id=([\w-]+)&token=([\w-]+)/.exec(text)
  }
  expect(findUnsubscribeLink(untold)).toBeNull()
  expect(findUnsubscribeLink(objecting)).toBeNull()
  const [, unsubscribeId = '', token = ''] = findUnsubscribeLink(told) ?? []
  smtp.accepted.length = 0
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(async () => (await show(id)).state).toBe('sent')
  await run()
  expect(addresses(smtp.accepted)).toEqual([told.user.email])
  expect(await told.call(accounts.myData, {})).toMatchObject({
    newsletters: [{ subject: draft.subject, state: 'sent' }],
    emails: expect.arrayContaining([expect.objectContaining({ subject: draft.subject })]),
  })
  const timeline = await admin.call(customers.adminTimeline, { id: told.user.id })
  expect(timeline.map(({ title }) => title)).toContain(draft.subject)
  await shop.visitor().call(newsletter.unsubscribe, { id: unsubscribeId, token })
  expect(await show(id)).toMatchObject({ audience: 0 })
})

async function findSoldProductId(shop: Awaited<ReturnType<typeof openShop>>): Promise<string> {
  const { rows } = await shop.connection.db.execute<{ productId: string }>(
    sql`select product_id as "productId" from purchases limit 1`,
  )
  return rows[0]?.productId ?? ''
}

test('an address that the mail server refused gets no more newsletters; a greylisted one gets it later', async () => {
  let isGrey = true
  const { shop, smtp, admin, addReaders, createDraft, show, run, recipientStates } = await openNewsletterShop({
    refuse(to) {
      if (to.startsWith('reader1@')) return 550
      return isGrey && to.startsWith('reader2@') ? 451 : undefined
    },
  })
  await addReaders(3)
  const { id } = await createDraft()
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect
    .poll(async () => (await show(id)).counts)
    .toEqual({ waiting: 1, sent: 1, refused: 1, uncertain: 0, unsubscribed: 0 })
  isGrey = false
  await shop.queue.waitUntilIdle()
  await run()
  expect(addresses(smtp.accepted)).toEqual(['reader3@example.com'])
  shop.clock.advance({ minutes: 6 })
  await run()
  expect(addresses(smtp.accepted)).toEqual(['reader2@example.com', 'reader3@example.com'])
  expect(await recipientStates()).toContainEqual(['reader1@example.com', 'refused'])
  expect(await show(id)).toMatchObject({
    state: 'sent',
    troubled: [{ email: 'reader1@example.com', state: 'refused', reply: expect.stringContaining('550') }],
  })
  const nextDraft = await createDraft()
  expect(await show(nextDraft.id)).toMatchObject({ audience: 2 })
  expect(await shop.connection.db.select().from(mailSuppressions)).toMatchObject([{ because: 'refused' }])
})

test('if the mail server dies halfway, the newsletter pauses, possible deliveries are uncertain, and no one gets it twice', async () => {
  const seen: string[] = []
  let isDying = false
  const { shop, smtp, admin, addReaders, createDraft, show, recipientStates } = await openNewsletterShop({
    beforeAnswer({ to }, { drop }) {
      seen.push(to)
      if (seen.length > 6) isDying = true
      if (isDying) drop()
    },
  })
  await addReaders(20)
  const { id } = await createDraft()
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(() => isDying).toBe(true)
  await smtp.close()
  await expect.poll(async () => (await show(id)).state, { timeout: 25_000 }).toBe('paused')
  const paused = await show(id)
  expect(paused).toMatchObject({ pausedBecause: 'connections', lastError: expect.any(String) })
  expect(paused.counts.uncertain).toBeGreaterThan(0)
  const restartedSmtp = await openSmtp({}, { port: smtp.port })
  closers.push(restartedSmtp.close)
  // Waits for the run that paused it.
  await shop.queue.waitUntilIdle()
  await admin.call(newsletters.adminResume, { id })
  await expect.poll(async () => (await show(id)).state, { timeout: 25_000 }).toBe('sent')
  const deliveries = [...seen, ...restartedSmtp.accepted.map(({ to }) => to)]
  expect(new Set(deliveries).size).toBe(deliveries.length)
  const uncertain = (await recipientStates()).filter(([, state]) => state === 'uncertain').map(([email]) => email)
  // The mail server may have died before it read the last uncertain email.
  expect(new Set([...deliveries, ...uncertain]).size).toBe(20)
  for (const email of uncertain) expect(restartedSmtp.accepted.map(({ to }) => to)).not.toContain(email)
})

test('a process that dies between hand-over and commit leaves at most one uncertain email for each connection', async () => {
  // After ten emails, every connection dies once.
  let deaths = 0
  const { shop, smtp, admin, addReaders, createDraft, show, run } = await openNewsletterShop(
    {},
    {
      crashPoint: (name) => {
        if (name !== 'newsletter handed over' || smtp.accepted.length < 10 || deaths === poolSize) return
        deaths += 1
        throw new Error('killed')
      },
    },
  )
  await addReaders(30)
  const { id } = await createDraft()
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(() => deaths).toBeGreaterThan(0)
  await expect
    .poll(async () => {
      await run().catch(() => undefined)
      return (await show(id)).state
    })
    .toBe('sent')
  await shop.queue.waitUntilIdle()
  const sent = addresses(smtp.accepted)
  expect(new Set(sent).size).toBe(sent.length)
  expect(sent).toHaveLength(30)
  const { counts } = await show(id)
  expect(counts.uncertain).toBeGreaterThan(0)
  expect(counts.uncertain).toBeLessThanOrEqual(poolSize)
  expect(counts.sent + counts.uncertain).toBe(30)
})

test('a scheduled newsletter goes out on time, pauses if an hour late or after a restore, and can be stopped', async () => {
  const { shop, smtp, admin, addReaders, createDraft, show, run } = await openNewsletterShop()
  await addReaders(2)
  const inAnHour = () => new Date(shop.clock.now().getTime() + 3_600_000).toISOString()
  const schedule = async () => {
    const { id } = await createDraft()
    await admin.call(newsletters.adminSend, { id, version: 1, at: inAnHour() })
    await run()
    expect(await show(id)).toMatchObject({ state: 'scheduled' })
    return id
  }
  const punctual = await schedule()
  shop.clock.advance({ minutes: 61 })
  await run()
  expect(await show(punctual)).toMatchObject({ state: 'sent', counts: { sent: 2 } })
  smtp.accepted.length = 0

  const late = await schedule()
  shop.clock.advance({ minutes: 125 })
  await run()
  expect(await show(late)).toMatchObject({ state: 'paused', pausedBecause: 'missed' })
  await admin.call(newsletters.adminStop, { id: late })
  expect(await show(late)).toMatchObject({ state: 'draft' })

  const restored = await schedule()
  await shop.connection.db.execute(
    sql`insert into audit_log (at, action, subject) values (${new Date(shop.clock.now().getTime() + 60_000)}, 'backup.restore', '')`,
  )
  shop.clock.advance({ minutes: 61 })
  await run()
  expect(await show(restored)).toMatchObject({ state: 'paused', pausedBecause: 'restored' })
  expect(smtp.accepted).toEqual([])
  await admin.call(newsletters.adminResume, { id: restored })
  await expect.poll(async () => (await show(restored)).state).toBe('sent')
  expect(smtp.accepted).toHaveLength(2)
})

test('a scheduled newsletter that is stopped while another one goes out stays a draft and can be deleted', async () => {
  const released = Promise.withResolvers<void>()
  const { shop, smtp, admin, addReaders, createDraft, show, run } = await openNewsletterShop({
    beforeAnswer: () => released.promise,
  })
  await addReaders(2)
  const at = new Date(shop.clock.now().getTime() + 3_600_000).toISOString()
  const schedule = async (subject: string) => {
    const { id } = await createDraft({ subject })
    await admin.call(newsletters.adminSend, { id, version: 1, at })
    shop.clock.advance({ minutes: 1 })
    return id
  }
  const sending = await schedule('First')
  const edited = await schedule('Old text')
  const deleted = await schedule('Never')
  shop.clock.advance({ minutes: 61 })
  const finished = run()
  await expect.poll(async () => (await show(sending)).state).toBe('sending')
  await admin.call(newsletters.adminStop, { id: edited })
  await admin.call(newsletters.adminSave, { id: edited, version: 1, ...draft, subject: 'New text' })
  await admin.call(newsletters.adminStop, { id: deleted })
  await admin.call(newsletters.adminDelete, { id: deleted })
  released.resolve()
  await finished
  await run()
  expect(await show(edited)).toMatchObject({ state: 'draft', subject: 'New text' })
  expect(addresses(smtp.accepted)).toEqual(['reader1@example.com', 'reader2@example.com'])
})

test('a newsletter that is stopped while its connections fail stays stopped', async () => {
  const released = Promise.withResolvers<void>()
  let tries = 0
  const { shop, admin, addReaders, createDraft, show } = await openNewsletterShop({
    async beforeAnswer(_mail, { drop }) {
      tries += 1
      if (tries > 2 * poolSize) await released.promise
      drop()
    },
  })
  await addReaders(20)
  const { id } = await createDraft()
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(() => tries, { timeout: 25_000 }).toBe(3 * poolSize)
  await admin.call(newsletters.adminStop, { id })
  released.resolve()
  await shop.queue.waitUntilIdle()
  expect(await show(id)).toMatchObject({ state: 'stopped', pausedBecause: null })
})

test('one run sends for five minutes, however many newsletters are due, and each gets its share', async () => {
  let passedMs = 0
  const dateNow = Date.now
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => dateNow() + passedMs)
  closers.push(async () => clock.mockRestore())
  const { shop, smtp, admin, addReaders, createDraft, show, run } = await openNewsletterShop({
    beforeAnswer: () => void (passedMs += 5000),
  })
  await addReaders(100)
  const at = new Date(shop.clock.now().getTime() + 3_600_000).toISOString()
  const ids: string[] = []
  for (const subject of ['First', 'Second', 'Third']) {
    const { id } = await createDraft({ subject })
    await admin.call(newsletters.adminSend, { id, version: 1, at })
    ids.push(id)
  }
  shop.clock.advance({ minutes: 61 })
  await run()
  const secondsPerMail = 5
  expect(smtp.accepted.length * secondsPerMail).toBeLessThan(400)
  for (const id of ids) expect((await show(id)).counts.sent).toBeGreaterThan(10)
})

test('a paused newsletter waits, a stopped one never continues, and its addresses are deleted after 30 days', async () => {
  const { shop, smtp, admin, addReaders, createDraft, show, run, recipientStates } = await openNewsletterShop(
    {},
    { env: { MAIL_RATE: '600' } },
  )
  await addReaders(40)
  const { id } = await createDraft()
  const startedAt = Date.now()
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(() => smtp.accepted.length).toBeGreaterThan(2)
  await admin.call(newsletters.adminPause, { id })
  await shop.queue.waitUntilIdle()
  const sentCount = smtp.accepted.length
  // MAIL_RATE of 600 emails per minute is one every 100 ms; 5 ms are tolerance.
  expect(Date.now() - startedAt).toBeGreaterThan((sentCount - 1) * 95)
  await run()
  expect(smtp.accepted).toHaveLength(sentCount)
  expect(await show(id)).toMatchObject({ state: 'paused', pausedBecause: 'asked' })
  await admin.call(newsletters.adminStop, { id })
  expect(await show(id)).toMatchObject({ state: 'stopped', counts: { sent: sentCount, waiting: 40 - sentCount } })
  shop.clock.advance({ days: 31 })
  await shop.queue.runNow('forget-newsletter-addresses')
  expect(new Set((await recipientStates()).map(([email]) => email))).toEqual(new Set([null]))
  const laterAdmin = await shop.admin()
  expect(await laterAdmin.call(newsletters.adminShow, { id })).toMatchObject({ counts: { sent: sentCount } })
})

test('a newsletter that stays paused for 30 days is stopped, and its addresses are deleted', async () => {
  const { shop, smtp, admin, addReaders, createDraft, recipientStates } = await openNewsletterShop(
    {},
    { env: { MAIL_RATE: '600' } },
  )
  await addReaders(40)
  const { id } = await createDraft()
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect.poll(() => smtp.accepted.length).toBeGreaterThan(0)
  await admin.call(newsletters.adminPause, { id })
  await shop.queue.waitUntilIdle()
  shop.clock.advance({ days: 31 })
  await shop.queue.runNow('forget-newsletter-addresses')
  const laterAdmin = await shop.admin()
  expect(await laterAdmin.call(newsletters.adminShow, { id })).toMatchObject({ state: 'stopped' })
  expect(new Set((await recipientStates()).map(([email]) => email))).toEqual(new Set([null]))
})

test('“Do not email” stops newsletters until it is turned off, and a deleted account leaves no address behind', async () => {
  const { shop, smtp, admin, createDraft, show, run, recipientStates } = await openNewsletterShop()
  const reader = await shop.user()
  const { email, id: userId } = reader.user
  await shop.connection.db.execute(sql`update users set verified_at = now() where id = ${userId}`)
  await shop.connection.db.insert(newsletterSubscriptions).values({ email, confirmedAt: new Date() })
  await admin.call(customers.adminSuppress, { id: userId, isSuppressed: true })
  const { id } = await createDraft()
  expect((await show(id)).audience).toBe(0)
  await admin.call(customers.adminSuppress, { id: userId, isSuppressed: false })
  expect((await show(id)).audience).toBe(1)
  await admin.call(newsletters.adminSend, { id, version: 1 })
  await expect
    .poll(async () => {
      await run()
      return (await show(id)).state
    })
    .toBe('sent')
  expect(addresses(smtp.accepted)).toContain(email)
  expect(JSON.stringify(await reader.call(accounts.myData, {}))).toContain('Exits are drawn')
  await reader.call(accounts.deleteMyself, { password: reader.password })
  expect((await recipientStates()).map(([address]) => address)).not.toContain(email)
  expect((await show(id)).counts.sent).toBe(1)
  const removed = await createDraft()
  await admin.call(newsletters.adminDelete, { id: removed.id })
  await expect(show(removed.id)).rejects.toMatchObject({ status: 404 })
})
