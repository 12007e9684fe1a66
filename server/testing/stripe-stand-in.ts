import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { Stripe } from 'stripe'
import { lagByClock, type Quirks } from '#sandbox/quirks.ts'
import { openSandbox } from '#sandbox/sandbox.ts'
import { intentIdOf } from './buyers.ts'
import { createTestDatabase } from './test-database.ts'

export type StripeStandIn = Awaited<ReturnType<typeof openStripeStandIn>>

type StandInOptions = { mode?: 'test' | 'live'; prefix?: 'sk' | 'rk'; account?: string; key?: Quirks['key'] }

/** Plays an account at Stripe, in test or live mode, with a separate database. */
export async function openStripeStandIn({
  mode = 'live',
  prefix = 'sk',
  account = `acct_${randomBytes(6).toString('hex')}`,
  key = 'works',
}: StandInOptions = {}) {
  const { url, drop } = await createTestDatabase({ empty: true })
  const database = new pg.Pool({ connectionString: url, max: 5 })
  database.on('error', () => {})
  database.on('connect', (client) => client.on('error', () => {}))
  const random = randomBytes(12).toString('hex')
  const keys = { secretKey: `${prefix}_${mode}_${random}`, publishableKey: `pk_${mode}_${random}` }
  const webhookSecret = `whsec_${random}`
  const sandbox = await openSandbox({
    database,
    publicUrl: 'http://127.0.0.1:1',
    webhook: { url: 'http://127.0.0.1:1', secret: webhookSecret },
    isListening: () => false,
    keys,
    quirks: { lag: lagByClock, account, key },
  })
  let { secretKey } = keys
  const sdk = () => new Stripe(secretKey, { ...sandbox.api, maxNetworkRetries: 0, telemetry: false })

  async function close() {
    await sandbox.close()
    await database.end()
    await drop()
  }

  return {
    sandbox,
    sdk,
    account,
    address: sandbox.api,
    env: {
      STRIPE_SECRET_KEY: keys.secretKey,
      STRIPE_PUBLISHABLE_KEY: keys.publishableKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
    },

    async rollKey() {
      secretKey = keys.secretKey.replace(random, randomBytes(12).toString('hex'))
      await sandbox.rollKey(secretKey)
      return secretKey
    },

    async coupons() {
      const { rows } = await database.query<{ id: string }>(`select id from sandbox.objects where kind = 'coupon'`)
      return rows.map(({ id }) => id)
    },

    async pay(clientSecret: string) {
      const intent = intentIdOf(clientSecret)
      await sdk().paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
      await sandbox.controls.settle()
      return intent
    },

    close,
    [Symbol.asyncDispose]: close,
  }
}
