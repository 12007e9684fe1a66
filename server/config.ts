import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { type Settings, settings } from './config/environment.ts'
import { faultsOf, warningsAbout } from './config/rules.ts'
import { proxiesOf } from './http/addresses.ts'
import { isLocalName } from './http/this-machine.ts'

export type Config = ReturnType<typeof toConfig>

/** Lists every problem, so one failed start shows them all. */
export class ConfigurationError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

export function readConfig(env: Record<string, string | undefined>): Config {
  // An empty value in .env means "not set".
  const setEntries = Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  const setValues = Object.fromEntries(setEntries)
  const parsed = z.safeParse(settings, setValues)
  if (!parsed.success)
    throw new ConfigurationError(parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`))
  const faults = faultsOf(parsed.data)
  if (faults.length > 0) throw new ConfigurationError(faults)
  const setNames = new Set(Object.keys(setValues).filter((name) => name in parsed.data))
  return toConfig(parsed.data, setNames)
}

function toConfig(env: Settings, namesInEnvironment: ReadonlySet<string>) {
  const production = env.NODE_ENV === 'production'
  const supportEmail = env.SUPPORT_EMAIL ?? 'support@example.com'
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '')
  const staffFactor = env.ADMIN_TWO_FACTOR ?? (production ? 'required' : 'optional')
  return {
    settings: env,
    /** The admin area cannot change these settings. */
    namesInEnvironment,
    production,
    port: env.PORT,
    host: env.HOST,
    /** Without PUBLIC_URL, `start.ts` replaces the port with the one that the server got. */
    publicUrl,
    publicUrlIsGiven: env.PUBLIC_URL !== undefined,
    secure: publicUrl.startsWith('https:'),
    processes: env.WEB_CONCURRENCY,
    /** Proxies that are trusted to name the visitor's IP address. */
    trustProxy: proxiesOf(env.TRUST_PROXY) ?? 0,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    /** Bypasses a pooler behind DATABASE_URL, for connections that need a database session of their own. */
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL,
    admin: { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
    staffNeedFactor: staffFactor === 'required',
    supportEmail,
    mail: {
      smtpUrl: env.SMTP_URL,
      /** Refuses an unencrypted connection unless the URL itself says otherwise. */
      requireTls: production && env.SMTP_URL !== undefined && !isLocalName(new URL(env.SMTP_URL).hostname),
      /** If unset, emails come from the support address, which the seller can change at any time. */
      from: env.MAIL_FROM,
      outbox: join(resolve(env.DATA_DIR), 'outbox'),
      /** Newsletter emails per minute. */
      rate: env.MAIL_RATE,
    },
    /** If undefined, the sandbox takes the payments. */
    stripe: stripeKeysOf(env),
    /** If false, TradingView is never called, whatever the admin area says. */
    mayCallTradingView: env.TRADINGVIEW === 'on',
    secretsKey: env.SECRETS_KEY,
    oldSecretsKey: env.SECRETS_KEY_OLD,
    /** Null if no service may learn visitors' IP addresses; then everybody sees the cookie banner. */
    regionLookupUrl: env.REGION_LOOKUP_URL === 'none' ? null : env.REGION_LOOKUP_URL,
    hstsSubdomains: env.HSTS_SUBDOMAINS === 'yes',
    cookieBanner: env.COOKIE_BANNER,
    gaMeasurementId: env.GA_MEASUREMENT_ID ?? null,
    consumerLaw: env.CONSUMER_LAW,
    tax: { mode: env.TAX, note: env.TAX === 'stripe' ? 'Prices include VAT where it is due.' : env.TAX_NOTE },
    metricsToken: env.METRICS_TOKEN,
    logLevel: env.LOG_LEVEL,
    /** Problems that the operator should fix; the shop runs anyway. */
    warnings: [...warningsAbout(env)],
    /** Off in most tests, where every visitor has the same address. */
    rateLimits: true,
  }
}

function stripeKeysOf(env: Settings) {
  if (env.PAYMENTS === 'sandbox') return undefined
  const secretKey = env.STRIPE_SECRET_KEY
  const publishableKey = env.STRIPE_PUBLISHABLE_KEY
  const webhookSecret = env.STRIPE_WEBHOOK_SECRET
  if (!secretKey || !publishableKey || !webhookSecret) return undefined
  return { secretKey, publishableKey, webhookSecret }
}
