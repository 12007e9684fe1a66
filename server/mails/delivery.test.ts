import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { contact } from '#contract/site/contact.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import { openSmtp } from '../testing/smtp.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function smtpServer(...options: Parameters<typeof openSmtp>) {
  const smtp = await openSmtp(...options)
  closers.push(smtp.close)
  return smtp
}

async function shopWith(url: string) {
  const shop = await openShop({ env: { SMTP_URL: url, SUPPORT_EMAIL: 'seller@example.com' } })
  closers.push(() => shop.close())
  return shop
}

const sendContactMessage = (shop: TestShop, message = 'Hello') =>
  shop.visitor().call(contact.send, { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', message })

async function waitUntilSettled(shop: TestShop) {
  const waiting = async () => {
    await shop.queue.waitUntilIdle()
    return (await shop.queue.depths()).filter(({ state }) => state !== 'failed')
  }
  await expect.poll(waiting).toEqual([])
}

const failures = async (shop: TestShop) => (await shop.queue.failed.list({ limit: 100 })).items

test('an email goes out over SMTP, encrypted when the server asks for it', async () => {
  const smtp = await smtpServer({}, { secure: true })
  const shop = await shopWith(`${smtp.url}?tls.rejectUnauthorized=false`)
  await sendContactMessage(shop)
  await waitUntilSettled(shop)
  expect(smtp.accepted).toMatchObject([
    { to: 'seller@example.com', source: expect.stringContaining('Message from Ada Lovelace') },
  ])
})

test('a missing mail server breaks no page, and the email goes out once it’s back', async () => {
  const stoppedServer = await smtpServer()
  await stoppedServer.close()
  const shop = await shopWith(stoppedServer.url)
  await sendContactMessage(shop)
  await shop.queue.waitUntilIdle()
  expect(await failures(shop)).toEqual([])
  const restarted = await smtpServer({}, { port: stoppedServer.port })
  await waitUntilSettled(shop)
  expect(restarted.accepted).toHaveLength(1)
})

test('a temporary rejection is retried', async () => {
  let attempts = 0
  const smtp = await smtpServer({ refuse: () => (attempts++ < 2 ? 451 : undefined) })
  const shop = await shopWith(smtp.url)
  await sendContactMessage(shop)
  await waitUntilSettled(shop)
  expect(attempts).toBe(3)
  expect(smtp.accepted).toHaveLength(1)
})

test('a permanent rejection isn’t retried, and an admin can resend the same email later', async () => {
  let refuses = true
  let attempts = 0
  const smtp = await smtpServer({
    refuse: () => {
      attempts += 1
      return refuses ? 550 : undefined
    },
  })
  const shop = await shopWith(smtp.url)
  await sendContactMessage(shop)
  await waitUntilSettled(shop)
  const [failed] = await failures(shop)
  expect(failed).toMatchObject({
    name: 'mail',
    about: 'contactMessage to seller@example.com',
    error: expect.stringContaining('550'),
    tries: 1,
  })
  expect(attempts).toBe(1)

  refuses = false
  await shop.queue.failed.retry(shop.connection.db, failed?.id ?? '')
  await waitUntilSettled(shop)
  expect(smtp.accepted).toMatchObject([{ messageId: `<${failed?.id}@localhost>` }])
  expect(await failures(shop)).toEqual([])
})

test('after a wrong SMTP password, the email waits for a retry instead of failing', async () => {
  const smtp = await smtpServer(
    {},
    {
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('no'), { responseCode: 535 })),
    },
  )
  const shop = await shopWith(smtp.url.replace('://', '://user:wrong@'))
  await sendContactMessage(shop)
  await shop.queue.waitUntilIdle()
  await expect.poll(async () => (await shop.queue.depths())[0]).toMatchObject({ name: 'mail', state: 'retry' })
  expect(await failures(shop)).toEqual([])
})

test('a connection that drops before the reply causes at most a second copy with the same Message-ID', async () => {
  const messageIds: string[] = []
  const smtp = await smtpServer({
    beforeAnswer(mail, connection) {
      if (!messageIds.includes(mail.messageId)) connection.drop()
      messageIds.push(mail.messageId)
    },
  })
  const shop = await shopWith(smtp.url)
  await Promise.all([
    sendContactMessage(shop, 'one'),
    sendContactMessage(shop, 'two'),
    sendContactMessage(shop, 'three'),
  ])
  await waitUntilSettled(shop)
  expect(new Set(messageIds).size).toBe(3)
  for (const messageId of messageIds) expect(messageIds.filter((id) => id === messageId)).toHaveLength(2)
})

test('a slow server delays emails, not pages, and gets each one once', async () => {
  const { promise: reply, resolve: release } = Promise.withResolvers<void>()
  const smtp = await smtpServer({ beforeAnswer: () => reply })
  const shop = await shopWith(smtp.url)
  for (let n = 0; n < 6; n++) await sendContactMessage(shop, `number ${n}`)
  expect(smtp.accepted).toEqual([])
  release()
  await waitUntilSettled(shop)
  expect(smtp.accepted).toHaveLength(6)
  expect(new Set(smtp.accepted.map(({ messageId }) => messageId)).size).toBe(6)
})

test('a mail server that answers twice loses no email', async () => {
  const smtp = await smtpServer({ answersTwice: true })
  const shop = await shopWith(smtp.url)
  for (let n = 0; n < 8; n++) await sendContactMessage(shop, `number ${n}`)
  await waitUntilSettled(shop)
  const ids = smtp.accepted.map(({ messageId }) => messageId)
  expect(new Set(ids).size).toBe(8)
  expect(await failures(shop)).toEqual([])
})

test('a mail server that doesn’t answer is reported at startup, and the shop opens anyway', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
  const shop = await openShop({ env: { SMTP_URL: 'smtp://127.0.0.1:9' }, log })
  closers.push(() => shop.close())
  await expect.poll(() => lines.join()).toContain('SMTP_URL: connect ECONNREFUSED 127.0.0.1:9')
})
