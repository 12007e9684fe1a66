import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { createLocks, type Locks } from './locks.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let processes: [Locks, Locks]
const connectionErrors: Error[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  const open = () => createLocks(database.url, (error) => connectionErrors.push(error), 1500)
  processes = [open(), open()]
})
afterAll(async () => {
  for (const each of processes) await each.close()
  await database.drop()
})

test('work under the same key runs one at a time in all processes, and work under other keys does not wait', async () => {
  const log: string[] = []
  const [firstProcess, secondProcess] = processes
  const work = (name: string) => async (hadToWait: boolean) => {
    log.push(`${name} begins`)
    await setTimeout(50)
    log.push(`${name} ends`)
    return hadToWait
  }
  const waits = await Promise.all([
    firstProcess.runExclusive('a', work('a1')),
    firstProcess.runExclusive('a', work('a2')),
    secondProcess.runExclusive('a', work('a3')),
    secondProcess.runExclusive('b', work('b1')),
  ])
  expect(waits.slice(0, 3).filter(Boolean)).toHaveLength(2)
  expect(waits[3]).toBe(false)
  const linesOfA = log.filter((line) => line.startsWith('a'))
  for (let index = 0; index < linesOfA.length; index += 2)
    expect(linesOfA[index + 1]).toBe(linesOfA[index]?.replace('begins', 'ends'))
})

test('a failure frees the lock, and so does the end of a process', async () => {
  const [firstProcess, secondProcess] = processes
  await expect(firstProcess.runExclusive('free', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await secondProcess.runExclusive('free', async (hadToWait) => hadToWait)).toBe(false)

  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const held = firstProcess.runExclusive('crashed', () => {
    begun.resolve()
    return ended.promise
  })
  await begun.promise
  await secondProcess.runExclusive('other', async () => {})
  const pid = await pidOfLockHolder()
  await terminate(pid)
  expect(await secondProcess.runExclusive('crashed', async () => 'taken')).toBe('taken')
  ended.resolve()
  await held
  expect(connectionErrors.length).toBeGreaterThan(0)
})

test('while Stripe is slow, a second refund of a purchase gets a 503, nothing is doubled, and others are served', async () => {
  await using shop = await openShop({ lockWaitMs: 1000 })
  const [buyer, otherBuyer, admin] = [await shop.buyer(), await shop.buyer(), await shop.admin()]
  const refund = { id: buyer.purchase.id, amount: 900, refundedSoFar: 0, keepAccess: true }
  await shop.sandbox.controls.behave({ writeSeconds: 4 })
  const order: string[] = []
  const firstRefund = admin.call(purchasesAdmin.refund, refund).then(() => order.push('refunded'))
  const findRefunds = () => shop.connection.pool.query(`select 1 from sandbox.objects where kind = 'refund'`)
  await expect.poll(async () => (await findRefunds()).rowCount).toBe(1)
  const secondRefund = admin.call(purchasesAdmin.refund, refund).catch((error: unknown) => error)
  expect(await otherBuyer.call(purchases.list, {})).toHaveLength(1)
  order.push('other served')
  expect(await secondRefund).toMatchObject({ status: 503, code: 'busy' })
  order.push('busy')
  await firstRefund
  expect(order).toEqual(['other served', 'busy', 'refunded'])

  await shop.sandbox.controls.behave({ writeSeconds: 0 })
  await shop.settle()
  expect(await admin.call(purchasesAdmin.refundable, { id: refund.id })).toMatchObject({ refundedSoFar: 900 })
  await expect(admin.call(purchasesAdmin.refund, refund)).rejects.toMatchObject({ status: 409 })
})

async function query<StoredRow>(sql: string, values: unknown[] = []) {
  const { default: pg } = await import('pg')
  const client = new pg.Client(database.url)
  await client.connect()
  const { rows } = await client.query(sql, values)
  await client.end()
  return rows as StoredRow[]
}
async function pidOfLockHolder() {
  const [holder] = await query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database()) limit 1`,
  )
  return holder?.pid ?? 0
}
const terminate = (pid: number) => query('select pg_terminate_backend($1)', [pid])
