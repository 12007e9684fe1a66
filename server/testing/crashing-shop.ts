import { flushCompileCache } from 'node:module'
import process from 'node:process'
import { pino } from 'pino'
import type { Sandbox } from '#sandbox/sandbox.ts'
import { readConfig } from '../config.ts'
import { startBuiltShop } from './built-shop.ts'

/** Program that runs a shop and kills its own process when it reaches a crash point for the nth time. */
const { CRASH_AT: moment, CRASH_COUNT: count = '1' } = process.env
let hits = 0

// Hundreds of buyers use the same IP address in this test.
const config = { ...readConfig(process.env), rateLimits: false }

const shop = await startBuiltShop(config, {
  log: pino({ level: 'silent' }),
  withPages: false,
  crashPoint: (name) => {
    if (name !== moment) return
    hits += 1
    if (hits === Number(count)) process.kill(process.pid, 'SIGKILL')
  },
})
const { sandbox } = shop
if (!sandbox) throw new Error('Tests run with the sandbox')

export type Open = { url: string; sandbox: Pick<Sandbox, 'publishableKey'> }
export type Order = { refund: string } | { reconcile: true }

process.on('message', (order: Order) => {
  void run(order).then(
    () => process.send?.({ done: true }),
    (error: unknown) => process.send?.({ done: false, error: String(error) }),
  )
})

async function run(order: Order) {
  if ('refund' in order) await sandbox?.controls.refund(order.refund)
  if ('reconcile' in order) {
    await sandbox?.controls.webhooks.flush()
    await shop.queue.runNow('reconcile')
  }
}

// A killed process writes nothing at its end, and the next one would have to compile everything again.
flushCompileCache()
const { publishableKey } = sandbox
process.send?.({ url: shop.config.publicUrl, sandbox: { publishableKey } } satisfies Open)
