import { expect, test } from 'vitest'
import { poolSize } from '#server/gateways/mail.ts'
import { createPace } from './delivery.ts'

const config = { mail: { rate: 60_000 } }
const queuedReceipt = { name: 'mail', state: 'created', count: 1, seconds: 0 }

test('no connection sends a newsletter while a receipt is queued', async () => {
  let reads = 0
  const depths = async () => {
    reads += 1
    return reads < 3 ? [queuedReceipt] : []
  }
  const pace = createPace({ queue: { depths, isRunning: () => true }, config })
  const readsBeforeTurn = await Promise.all(
    Array.from({ length: poolSize }, async () => {
      await pace.waitForTurn(Infinity)
      return reads
    }),
  )
  expect(Math.min(...readsBeforeTurn)).toBeGreaterThanOrEqual(3)
})

test('a newsletter waits for receipts only until its run ends', async () => {
  const pace = createPace({ queue: { depths: async () => [queuedReceipt], isRunning: () => true }, config })
  await expect(pace.waitForTurn(Date.now() + 1)).resolves.toBe(false)
})

test('a connection whose turn comes after the end of the run sends nothing, and the turn stays free', async () => {
  const pace = createPace({ queue: { depths: async () => [], isRunning: () => true }, config: { mail: { rate: 600 } } })
  expect(await pace.waitForTurn(Infinity)).toBe(true)
  for (let n = 0; n < 100; n++) expect(await pace.waitForTurn(Date.now())).toBe(false)
  expect(await pace.waitForTurn(Date.now() + 1000)).toBe(true)
})
