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
  await expect(pace.waitForTurn(Date.now() + 1)).resolves.toBeUndefined()
})
