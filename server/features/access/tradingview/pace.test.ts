import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { connect } from '#server/database/connect.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'
import { nextTurn } from './connection.ts'

test('two processes together call once a second, three at once after a pause', async () => {
  await using shop = await openConnectedShop()
  const secondProcess = connect(shop.connection.url, () => {})
  const databases = [shop.connection.db, secondProcess.db]
  /** Reserves calls at the same moment, in both processes in turn. Returns the milliseconds that each must wait. */
  const reserveCalls = async (afterSeconds: number, count: number, maxWaitMs?: number) => {
    const now = sql`(timestamptz '2026-11-16 12:00:00Z' + ${afterSeconds} * interval '1 second')`
    const reservations = Array.from({ length: count }, (_, n) =>
      nextTurn(databases[n % 2] ?? shop.connection.db, maxWaitMs, now),
    )
    const waitsMs = await Promise.all(reservations)
    return waitsMs.toSorted((a = Infinity, b = Infinity) => a - b)
  }
  expect(await reserveCalls(0, 6)).toEqual([0, 0, 0, 1000, 2000, 3000])
  expect(await reserveCalls(2, 1)).toEqual([2000])
  expect(await reserveCalls(60, 4)).toEqual([0, 0, 0, 1000])
  // With a maximum wait of 2 s, one call is reserved; the others would wait longer and reserve nothing.
  expect(await reserveCalls(60, 4, 2000)).toEqual([2000, undefined, undefined, undefined])
  expect(await reserveCalls(60, 1)).toEqual([3000])
  await secondProcess.close()
})
