import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { connect } from '#server/database/connect.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'
import { nextTurn } from './connection.ts'

test('two processes together call once a second, three at once after a pause', async () => {
  await using shop = await openConnectedShop()
  const second = connect(shop.connection.url, () => {})
  const at = (seconds: number) => sql`(timestamptz '2026-11-16 12:00:00Z' + ${seconds} * interval '1 second')`
  const turns = async (seconds: number, count: number, maxWaitMs?: number) => {
    const waits = await Promise.all(
      Array.from({ length: count }, (_, n) => nextTurn(n % 2 ? second.db : shop.connection.db, maxWaitMs, at(seconds))),
    )
    return waits.toSorted((a = Infinity, b = Infinity) => a - b)
  }
  expect(await turns(0, 6)).toEqual([0, 0, 0, 1000, 2000, 3000])
  expect(await turns(2, 1)).toEqual([2000])
  expect(await turns(60, 4)).toEqual([0, 0, 0, 1000])
  // With a maximum wait of 2 s, one call is reserved; the others would wait longer and reserve nothing.
  expect(await turns(60, 4, 2000)).toEqual([2000, undefined, undefined, undefined])
  expect(await turns(60, 1)).toEqual([3000])
  await second.close()
})
