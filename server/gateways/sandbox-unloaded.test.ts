import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const stripeKeys = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
}

/** Reports how many files of the sandbox are loaded after opening payments, and after importing the sandbox itself. */
const program = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      if (url.includes('/sandbox/')) loaded.push(url)
      return next(url, context)
    },
  })
  const { readConfig } = await import('#server/config.ts')
  await import('#server/start.ts')
  const { openPayments } = await import('#server/gateways/payments.ts')
  const config = readConfig(${JSON.stringify(stripeKeys)})
  await openPayments({ config, seller: () => ({}), databaseUrl: '', secrets: {}, log: console, quirks: {} })
  const afterPayments = loaded.length
  await import('#sandbox/sandbox.ts')
  console.log(JSON.stringify({ afterPayments, afterSandbox: loaded.length }))
`

test('a shop with Stripe’s keys loads nothing of the sandbox', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  })
  const { afterPayments, afterSandbox }: { afterPayments: number; afterSandbox: number } = JSON.parse(stdout)
  expect(afterPayments).toBe(0)
  // Proves that the program counts files of the sandbox.
  expect(afterSandbox).toBeGreaterThan(0)
})
