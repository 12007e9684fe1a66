import { expect, test } from 'vitest'
import type { ApiError } from '#contract/call.ts'
import { openShop } from '../testing/open-shop.ts'
import { production } from '../testing/production.ts'

test('the sandbox’s control page opens in a trial shop, and is missing in production', async () => {
  for (const [env, status] of [
    [{}, 200],
    [production, 404],
  ] as const) {
    await using shop = await openShop({ env })
    const response = await fetch(`http://localhost:${shop.config.port}/_sandbox/`)
    expect(response.status).toBe(status)
  }
})

test('a database connection that breaks in the middle of a payment does not end the process', async () => {
  await using shop = await openShop()
  const { pool } = shop.connection
  const blocker = await pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table sandbox.objects')
  const terminateWaiting = () =>
    pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%sandbox.objects%'`,
    )
  const statusOfCutOffPayment = shop.guest(shop.visitor()).catch((error: ApiError) => error.status)
  await expect.poll(async () => (await terminateWaiting()).rowCount).toBeGreaterThan(0)
  // Cuts off every retry, too, until the last one has failed.
  const terminations = setInterval(() => void terminateWaiting(), 100)
  expect(await statusOfCutOffPayment).toBeGreaterThanOrEqual(500)
  clearInterval(terminations)
  await blocker.query('rollback')
  blocker.release()
  expect((await shop.buyer()).purchase.status).toBe('active')
})

test('a second process starts while the first one writes test payments', async () => {
  await using first = await openShop()
  const writer = await first.connection.pool.connect()
  await writer.query('begin')
  await writer.query('lock table sandbox.deliveries, sandbox.objects in row exclusive mode')
  await using second = await openShop({ databaseUrl: first.connection.url })
  await writer.query('rollback')
  writer.release()
  expect((await second.buyer()).purchase.status).toBe('active')
})
