import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { auditLog } from '../database/schema.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const readAuditLog = async () => JSON.stringify(await shop.connection.db.select().from(auditLog))

test('people are stored by id, shown by their address, and found by it', async () => {
  const admin = await shop.admin()
  const email = 'somebody@example.com'
  await admin.call(accountsAdmin.add, { email, password: 'a long password', name: 'Some', isAdmin: false })
  const entry = { action: 'user.add', subject: email, actorEmail: admin.user.email }
  for (const q of [email, admin.user.email, 'user.add'])
    expect(await admin.call(audit.adminList, { q })).toContainEqual(expect.objectContaining(entry))
  expect(await readAuditLog()).not.toContain('@')
})

test('the first admin was appointed on the command line', async () => {
  const admin = await shop.admin()
  expect(await admin.call(audit.adminList, { q: 'admin.first' })).toMatchObject([
    { actorEmail: 'command line', subject: admin.user.email, ip: '' },
  ])
})

test('no entry can be changed, removed or emptied, except by age', async () => {
  const { db } = shop.connection
  const originalLog = await readAuditLog()
  for (const statement of [
    `update audit_log set action = 'nothing'`,
    'delete from audit_log',
    'truncate audit_log',
    `update audit_log set at = now() - interval '4 years'`,
  ])
    await expect(db.execute(sql.raw(statement))).rejects.toMatchObject({
      cause: { message: 'The audit log is never changed' },
    })
  expect(await readAuditLog()).toBe(originalLog)

  const entry = (action: string, ageInDays: number) => ({
    action,
    subject: '',
    at: new Date(Date.now() - ageInDays * 86_400_000),
  })
  // Entries are kept for three years.
  await db.insert(auditLog).values([entry('too old', 3 * 366), entry('old', 3 * 365 - 1)])
  await shop.queue.runNow('forget-old-audit')
  expect(await readAuditLog()).not.toContain('too old')
  expect(await readAuditLog()).toContain('"old"')
})
