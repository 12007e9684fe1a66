import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connect } from '#server/database/connect.ts'
import { createAttempts } from '#server/security/attempts.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { createTurns } from './turns.ts'

test('a checkout keeps its turn while Stripe takes longer than one lasts; one that a crash left behind ends', async () => {
  const database = await createTestDatabase()
  const connection = connect(database.url, () => {})
  const attempts = createAttempts({ db: connection.db, now: () => new Date() })
  const inTurn = createTurns({ attempts }, 1)
  const done: string[] = []
  const slow = inTurn('someone', async () => {
    await setTimeout(2500)
    done.push('first')
  })
  await setTimeout(200)
  const waited = inTurn('someone', async (hadToWait) => {
    done.push('second')
    return hadToWait
  })
  await slow
  expect(await waited).toBe(true)
  expect(done).toEqual(['first', 'second'])

  await attempts.secondsToWait('checkout', 'crashed', { requests: 1, seconds: 1 })
  await inTurn('crashed', async () => done.push('after the crash'))
  expect(done.at(-1)).toBe('after the crash')
  await connection.close()
  await database.drop()
})
