import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { type Settings, settings } from './config/environment.ts'
import { faultsOf, warningsAbout } from './config/rules.ts'
import { proxiesOf } from './http/addresses.ts'
import { isLocalName } from './http/this-machine.ts'

export type Config = ReturnType<typeof shape>

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
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = z.safeParse(settings, given)
  if (!parsed.success)
    throw new ConfigurationError(parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`))
  const faults = faultsOf(parsed.data)
  if (faults.length > 0) throw new ConfigurationError(faults)
  const names = new Set(Object.keys(given).filter((name) => name in parsed.data))
  return shape(parsed.data, names)
}

function shape(s: Settings, given: ReadonlySet<string>) {
  const supportEmail = s.SUPPORT_EMAIL ?? 'support@example.com'
  const publicUrl = (s.PUBLIC_URL ?? `http://localhost:${s.PORT}`).replace(/\/+$/, '')
  return {
    /** Settings as read, with the names that the environment gave. */
    settings: s,
    given,
    production: s.NODE_ENV === 'production',
    port: s.PORT,
    host: s.HOST,
    /** If unset, follows the port that the server actually got. */
    publicUrl,
    publicUrlIsGiven: s.PUBLIC_URL !== undefined,
    secure: publicUrl.startsWith('https:'),
    processes: s.WEB_CONCURRENCY,
    /** Trusted proxies, by number or address, for the visitor's IP address. */
    trustProxy: proxiesOf(s.TRUST_PROXY) ?? 0,
    dataDir: resolve(s.DATA_DIR),
    databaseUrl: s.DATABASE_URL,
    /** Bypasses the pooler behind DATABASE_URL, for whatever needs a session of its own. */
    databaseDirectUrl: s.DATABASE_DIRECT_URL,
    databaseReplicaUrl: s.DATABASE_REPLICA_URL,
    admin: { email: s.ADMIN_EMAIL?.toLowerCase(), password: s.ADMIN_PASSWORD },
    staffNeedFactor: (s.ADMIN_TWO_FACTOR ?? (s.NODE_ENV === 'production' ? 'required' : 'optional')) === 'required',
    supportEmail,
    mail: {
      smtpUrl: s.SMTP_URL,
      /** Refuses an unencrypted connection unless the URL itself says otherwise. */
      requireTls: s.NODE_ENV === 'production' && s.SMTP_URL !== undefined && !isLocalName(new URL(s.SMTP_URL).hostname),
      /** If unset, emails come from the support address, whichever it is at the time. */
      from: s.MAIL_FROM,
      outbox: join(resolve(s.DATA_DIR), 'outbox'),
      /** Maximum number of newsletter emails per minute. */
      rate: s.MAIL_RATE,
    },
    stripe:
      s.STRIPE_SECRET_KEY && s.STRIPE_PUBLISHABLE_KEY && s.STRIPE_WEBHOOK_SECRET && s.PAYMENTS !== 'sandbox'
        ? {
            secretKey: s.STRIPE_SECRET_KEY,
            publishableKey: s.STRIPE_PUBLISHABLE_KEY,
            webhookSecret: s.STRIPE_WEBHOOK_SECRET,
          }
        : undefined,
    /** Off overrides the admin's switch: TradingView is never called. */
    mayCallTradingView: s.TRADINGVIEW === 'on',
    secretsKey: s.SECRETS_KEY,
    oldSecretsKey: s.SECRETS_KEY_OLD,
    /** Null if no service may learn visitors' IP addresses; then everybody sees the cookie banner. */
    regionLookupUrl: s.REGION_LOOKUP_URL === 'none' ? null : s.REGION_LOOKUP_URL,
    hstsSubdomains: s.HSTS_SUBDOMAINS === 'yes',
    cookieBanner: s.COOKIE_BANNER,
    gaMeasurementId: s.GA_MEASUREMENT_ID ?? null,
    /** `eu` turns on what consumers in the EU are owed: withdrawal, cancellation, information before the order. */
    consumerLaw: s.CONSUMER_LAW,
    tax: { mode: s.TAX, note: s.TAX === 'stripe' ? 'Prices include VAT where it is due.' : s.TAX_NOTE },
    metricsToken: s.METRICS_TOKEN,
    logLevel: s.LOG_LEVEL,
    /** Problems that the operator should fix; the shop runs anyway. */
    warnings: [...warningsAbout(s)],
    /** Off in most tests, where every visitor has the same address. */
    rateLimits: true,
  }
}
