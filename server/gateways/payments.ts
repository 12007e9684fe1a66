import type { IncomingMessage } from 'node:http'
import pg from 'pg'
import type { Logger } from 'pino'
import { brand } from '#contract/brand.ts'
import type { Seller } from '#contract/seller.ts'
import type { Sandbox, SandboxOptions } from '#sandbox/sandbox.ts'
import type { TradingViewStandIn } from '#sandbox/tradingview/stand-in.ts'
import { isLiveKey } from '../config/rules.ts'
import type { Config } from '../config.ts'
import type { Middleware } from '../http/server.ts'
import { isFromThisMachine } from '../http/this-machine.ts'
import type { Secrets } from '../security/secrets.ts'
import { createStripeGateway, eventTypes, type StripeAddress, type StripeFault, type StripeGateway } from './stripe.ts'

/** Release of Stripe.js that the pinned @stripe/stripe-js expects. */
const scriptUrl = 'https://js.stripe.com/endive/stripe.js'

export type ConfiguredAccount =
  | { kind: 'sandbox' }
  | { kind: 'test' | 'live'; secretKey: string; account: Pick<StripeGateway['account'], 'id' | 'hasPrice'> }

export type Payments = {
  stripe: StripeGateway
  configuredAccount: ConfiguredAccount
  /** Call this once the keys are known to belong to the account of this database. */
  enableStripeCalls(): void
  settings: { publishableKey: string; scriptUrl: string }
  middleware: Middleware[]
  sandbox: Sandbox | undefined
  /** Stand-in for TradingView, where test purchases are unlocked. */
  tradingViewStandIn: TradingViewStandIn | undefined
  /** Call this once the shop listens. */
  allowSandboxWebhooks(): void
  close(): Promise<void>
}

/** Deviations of the sandbox from its usual behavior. */
export type Quirks = NonNullable<SandboxOptions['quirks']>

type PaymentsOptions = {
  config: Config
  /** Read at the time of the call, because the seller can change it. */
  seller: () => Seller
  databaseUrl: string
  secrets: Secrets
  log: Logger
  quirks: Quirks
  stripeAddress?: StripeAddress | undefined
}

/** Equal in every process of the shop, because one may send an event and another receive it. */
export const sandboxWebhookSecret = ({ linkToken }: Pick<Secrets, 'linkToken'>) =>
  `whsec_${linkToken('sandbox', 'webhook')}`

export async function openPayments({
  config,
  seller,
  databaseUrl,
  secrets,
  log,
  quirks,
  stripeAddress: address,
}: PaymentsOptions): Promise<Payments> {
  const report = ({ isOutage, ...fault }: StripeFault) => {
    const level = isOutage ? 'warn' : 'error'
    log[level]({ stripe: fault }, 'Stripe did not do what the shop asked for')
  }
  if (config.stripe) {
    let maySend = false
    const invoices = invoicing(config, seller)
    return {
      stripe: createStripeGateway({ ...config.stripe, address, invoices, report, maySend: () => maySend }),
      configuredAccount: configuredAccountOf(config.stripe, address),
      enableStripeCalls() {
        maySend = true
      },
      settings: { publishableKey: config.stripe.publishableKey, scriptUrl },
      middleware: [],
      sandbox: undefined,
      tradingViewStandIn: undefined,
      allowSandboxWebhooks: () => {},
      close: async () => {},
    }
  }

  // Imported here, so that a shop with keys of Stripe loads nothing of the sandbox.
  const [{ openSandbox }, { openTradingViewStandIn }] = await Promise.all([
    import('#sandbox/sandbox.ts'),
    import('#sandbox/tradingview/stand-in.ts'),
  ])
  const database = new pg.Pool({ connectionString: databaseUrl, max: 5 })
  const onLost = (error: Error) => log.warn({ err: error }, 'the sandbox lost its database connection')
  database.on('error', onLost)
  // The pool only listens on idle connections; one that breaks mid-transaction must not end the process.
  database.on('connect', (client) => client.on('error', onLost))
  const webhookSecret = sandboxWebhookSecret(secrets)
  const host = ['0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host
  // The sandbox's control page shows every buyer, so a public shop must not expose it.
  const mayControl = (request: IncomingMessage) => !config.production && isFromThisMachine(request)
  let isListening = false
  const sandbox = await openSandbox({
    database,
    publicUrl: config.publicUrl,
    businessName: brand.name,
    mayControl,
    webhook: { url: `http://${host}:${config.port}/api/webhooks/stripe`, secret: webhookSecret, events: eventTypes },
    isListening: () => isListening,
    quirks,
    log: (message, detail) => log.warn(detail ?? {}, message),
  })
  const tradingViewStandIn = await openTradingViewStandIn({
    database,
    now: async () => new Date((await sandbox.controls.now()) * 1000),
    mayControl,
    log: (message, detail) => log.warn(detail ?? {}, message),
  })
  const { secretKey, publishableKey, api } = sandbox
  return {
    stripe: createStripeGateway({
      secretKey,
      webhookSecret,
      address: api,
      invoices: invoicing(config, seller),
      report,
    }),
    configuredAccount: { kind: 'sandbox' },
    enableStripeCalls: () => {},
    settings: { publishableKey, scriptUrl: sandbox.scriptUrl },
    middleware: [tradingViewStandIn.browser, sandbox.browser],
    sandbox,
    tradingViewStandIn,
    allowSandboxWebhooks() {
      isListening = true
    },
    async close() {
      await tradingViewStandIn.close()
      await sandbox.close()
      await database.end()
    },
  }
}

export const configuredAccountOf = (
  keys: NonNullable<Config['stripe']>,
  address: StripeAddress | undefined,
): ConfiguredAccount => ({
  kind: isLiveKey(keys.secretKey) ? 'live' : 'test',
  secretKey: keys.secretKey,
  account: createStripeGateway({ ...keys, address }).account,
})

/** The law requires the seller's particulars in the footer. */
function invoicing({ tax }: Config, currentSeller: () => Seller) {
  return {
    automaticTax: tax.mode === 'stripe',
    get footer() {
      const seller = currentSeller()
      const taxNumberLine = seller.taxNumber && `Tax number: ${seller.taxNumber}`
      const lines = [
        [seller.name, seller.street, seller.city, seller.country].filter(Boolean).join(', '),
        seller.vatId ? `VAT ID: ${seller.vatId}` : taxNumberLine,
        tax.mode === 'none' ? tax.note : '',
      ]
      return lines.filter(Boolean).join('\n')
    },
  }
}
