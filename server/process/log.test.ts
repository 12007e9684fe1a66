import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { contact } from '#contract/site/contact.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { bookPurchase } from '../testing/book-purchase.ts'
import { openShop } from '../testing/open-shop.ts'
import { openSmtp } from '../testing/smtp.ts'
import { createLog } from './log.ts'

const planted = {
  email: 'planted-address@example.com',
  name: 'Planted Name',
  password: 'planted-password-1',
  message: 'planted message of a visitor',
  apiKey: 'planted-api-key',
  secretKey: 'planted-secret-key',
}

const faults = {
  'a value that cannot be read': `raise exception using errcode = '22P02', message = 'invalid input: "' || new::text || '"'`,
  'a rule that is broken': `raise exception using errcode = '23514', message = 'broken', detail = 'Failing row contains ' || new::text`,
  'a trigger that says what it saw': `raise exception 'saw "%"', new::text`,
  'a statement that takes too long': 'perform pg_sleep(60)',
}

test('whatever fails, nothing that people typed is logged or stored with a failed job', async () => {
  const lines: string[] = []
  const smtp = await openSmtp({ refuse: () => 550 })
  await using shop = await openShop({
    env: { SMTP_URL: smtp.url },
    log: createLog('trace', { write: (line) => lines.push(line) }),
  })
  const buyer = await shop.user({ email: 'planted-buyer@example.com', name: planted.name })
  await bookPurchase(shop.connection, buyer.user.id, { paymentIntentId: 'pi_planted' })
  const { email, name, password, message, apiKey, secretKey } = planted
  const visitor = shop.visitor()
  const register = () => visitor.call(accounts.register, { email, name, password })
  const sendContactMessage = () => visitor.call(contact.send, { email, firstName: name, lastName: name, message })
  const writes: (() => Promise<unknown>)[] = [
    register,
    () => visitor.call(newsletter.subscribe, { email }),
    sendContactMessage,
    () => buyer.call(accounts.updateProfile, { name: `${name} II`, tradingViewUsername: name }),
    () =>
      buyer.call(access.submit, {
        paymentIntentId: 'pi_planted',
        exchangeName: name,
        tradingViewUsername: name,
        additionalInfo: message,
        apiKey,
        secretKey,
      }),
  ]
  const tables = ['users', 'newsletter_subscriptions', 'contact_messages', 'access_forms']
  const { db } = shop.connection
  for (const [fault, statement] of Object.entries(faults)) {
    await db.execute(
      sql.raw(
        `create or replace function fail() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$`,
      ),
    )
    for (const table of tables)
      await db.execute(
        sql.raw(
          `create or replace trigger fail before insert or update on ${table} for each row execute function fail()`,
        ),
      )
    const outcomes = await Promise.allSettled(writes.map((write) => write()))
    const statuses = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason?.status)
    const expectedStatus = statement.includes('pg_sleep') ? 503 : 500
    expect(statuses, fault).toEqual(writes.map(() => expectedStatus))
    for (const table of tables) await db.execute(sql.raw(`drop trigger fail on ${table}`))
  }
  // A statement without its table fails before PostgreSQL reads the values.
  await db.execute(sql.raw('alter table contact_messages rename to gone'))
  await expect(sendContactMessage()).rejects.toMatchObject({ status: 500 })
  // The welcome email fails with a reply that repeats the address.
  await register()
  await expect.poll(async () => (await shop.queue.failed.list({ limit: 10 })).items.length).toBeGreaterThan(0)
  const { rows: outputs } = await db.execute(sql.raw(`select output::text from jobs.job where output is not null`))
  await smtp.close()

  const logAndOutputs = [...lines, ...outputs.map(({ output }) => String(output))].join('\n')
  const failedRequests = Object.keys(faults).length * writes.length + 1
  expect(lines.filter((line) => line.includes('request failed')).length).toBeGreaterThanOrEqual(failedRequests)
  expect(lines.some((line) => line.includes('job failed'))).toBe(true)
  const leaks = [...new Set([...logAndOutputs.matchAll(/.{0,60}planted.{0,20}/gi)].map(([leak]) => leak))]
  expect(leaks).toEqual([])
})

test('an error that a library passes on as a copy keeps its message and code', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.warn({ err: { message: 'terminating connection', code: '57P01', stack: 'Error\n    at somewhere' } }, 'job queue')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: { message: 'terminating connection', code: '57P01', stack: 'Error: terminating connection\n    at somewhere' },
  })
})
