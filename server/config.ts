import { join, resolve } from 'node:path'
import * as z from 'zod/mini'

/** Every setting the shop knows. `.env.example` explains each; a fault is a sentence that says what to do. */

const whole = (name: string, min: number, max: number) =>
  z.coerce
    .number(`${name} must be a whole number`)
    .check(
      z.int(`${name} must be a whole number`),
      z.minimum(min, `${name} must be at least ${min}`),
      z.maximum(max, `${name} must be at most ${max}`),
    )

const address = (name: string, ...schemes: string[]) =>
  z
    .string()
    .check(
      z.refine<string>(
        (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)),
        `${name} must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
      ),
    )

const hexKey = (name: string) =>
  z
    .string()
    .check(
      z.regex(/^[0-9a-f]{64}$/i, `${name} must be 64 hexadecimal digits (make one: openssl rand -hex 32)`),
    )

const emailAddress = (name: string) => z.email(`${name} must be an e-mail address`)

const flag = (name: string) => z.stringbool({ error: `${name} must be true or false` })

const text = z._default(z.string(), '')

const settings = z.object({
  NODE_ENV: z._default(
    z.enum(['development', 'production', 'test'], 'NODE_ENV must be development, production or test'),
    'development',
  ),
  PORT: z._default(whole('PORT', 0, 65535), 3000),
  HOST: z._default(z.string(), 'localhost'),
  PUBLIC_URL: z.optional(address('PUBLIC_URL', 'http', 'https')),
  WEB_CONCURRENCY: z._default(whole('WEB_CONCURRENCY', 1, 128), 1),
  TRUST_PROXY: z._default(flag('TRUST_PROXY'), false),
  DATA_DIR: z._default(z.string(), './data'),
  DATABASE_URL: z.optional(address('DATABASE_URL', 'postgres', 'postgresql')),
  ADMIN_EMAIL: z.optional(emailAddress('ADMIN_EMAIL')),
  ADMIN_PASSWORD: z.optional(
    z.string().check(z.minLength(8, 'ADMIN_PASSWORD must be at least 8 characters long')),
  ),
  SUPPORT_EMAIL: z._default(emailAddress('SUPPORT_EMAIL'), 'support@example.com'),
  SMTP_URL: z.optional(address('SMTP_URL', 'smtp', 'smtps')),
  MAIL_FROM: z.optional(z.string()),
  PAYMENTS: z.optional(z.enum(['sandbox', 'stripe'], 'PAYMENTS must be sandbox or stripe')),
  STRIPE_SECRET_KEY: z.optional(
    z.string().check(z.regex(/^(sk|rk)_/, 'STRIPE_SECRET_KEY must start with sk_ or rk_')),
  ),
  STRIPE_PUBLISHABLE_KEY: z.optional(
    z.string().check(z.regex(/^pk_/, 'STRIPE_PUBLISHABLE_KEY must start with pk_')),
  ),
  STRIPE_WEBHOOK_SECRET: z.optional(
    z.string().check(z.regex(/^whsec_/, 'STRIPE_WEBHOOK_SECRET must start with whsec_')),
  ),
  SECRETS_KEY: z.optional(hexKey('SECRETS_KEY')),
  SECRETS_KEY_OLD: z.optional(hexKey('SECRETS_KEY_OLD')),
  REGION_LOOKUP_URL: z._default(address('REGION_LOOKUP_URL', 'https', 'http'), 'https://ipapi.co/json/'),
  GA_MEASUREMENT_ID: z.optional(
    z.string().check(z.regex(/^G-[A-Z0-9]+$/, 'GA_MEASUREMENT_ID must look like G-XXXXXXX')),
  ),
  INDICATOR_URL: z._default(address('INDICATOR_URL', 'https'), 'https://www.tradingview.com/scripts/'),
  STRATEGY_URL: z._default(address('STRATEGY_URL', 'https'), 'https://www.tradingview.com/scripts/'),
  SELLER_NAME: text,
  SELLER_STREET: text,
  SELLER_CITY: text,
  SELLER_COUNTRY: text,
  SELLER_PHONE: text,
  SELLER_REGISTER: text,
  SELLER_VAT_ID: text,
  METRICS_TOKEN: z.optional(
    z.string().check(z.minLength(16, 'METRICS_TOKEN must be at least 16 characters long')),
  ),
  LOG_LEVEL: z._default(
    z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      'LOG_LEVEL must be trace, debug, info, warn, error or silent',
    ),
    'info',
  ),
})

export const settingNames = Object.keys(settings.shape)

export type Config = ReturnType<typeof shape>

/** Thrown with every fault at once, so that one start is enough to see them all. */
export class ConfigurationError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

export function readConfig(env: Record<string, string | undefined>): Config {
  // An empty value in .env means "not set".
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = z.safeParse(settings, given)
  if (!parsed.success) throw new ConfigurationError(parsed.error.issues.map((issue) => issue.message))
  const faults = contradictions(parsed.data)
  if (faults.length > 0) throw new ConfigurationError(faults)
  return shape(parsed.data)
}

type Settings = z.output<typeof settings>

function contradictions(s: Settings): string[] {
  const faults: string[] = []
  const live = s.STRIPE_SECRET_KEY !== undefined && s.PAYMENTS !== 'sandbox'
  if (s.PAYMENTS === 'stripe' && !s.STRIPE_SECRET_KEY) faults.push('PAYMENTS=stripe needs STRIPE_SECRET_KEY')
  if (live && !s.STRIPE_PUBLISHABLE_KEY)
    faults.push('STRIPE_SECRET_KEY needs STRIPE_PUBLISHABLE_KEY beside it')
  if (live && !s.STRIPE_WEBHOOK_SECRET) faults.push('STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET beside it')
  if (s.ADMIN_PASSWORD && !s.ADMIN_EMAIL) faults.push('ADMIN_PASSWORD needs ADMIN_EMAIL beside it')
  if (s.NODE_ENV !== 'production') return faults
  if (!live && s.PAYMENTS !== 'sandbox') {
    faults.push(
      'In production set STRIPE_SECRET_KEY, or PAYMENTS=sandbox to say out loud that no money moves',
    )
  }
  if (!s.SECRETS_KEY)
    faults.push('In production set SECRETS_KEY (make one: openssl rand -hex 32) and keep a copy of it')
  if (!s.PUBLIC_URL) faults.push('In production set PUBLIC_URL to the address that visitors use')
  return faults
}

function shape(s: Settings) {
  const publicUrl = (s.PUBLIC_URL ?? `http://localhost:${s.PORT}`).replace(/\/+$/, '')
  return {
    production: s.NODE_ENV === 'production',
    port: s.PORT,
    host: s.HOST,
    /** Unset, it follows the port that the server really got. */
    publicUrl,
    publicUrlIsGiven: s.PUBLIC_URL !== undefined,
    secure: publicUrl.startsWith('https:'),
    /** How many processes serve side by side. */
    processes: s.WEB_CONCURRENCY,
    trustProxy: s.TRUST_PROXY,
    dataDir: resolve(s.DATA_DIR),
    databaseUrl: s.DATABASE_URL,
    admin: { email: s.ADMIN_EMAIL?.toLowerCase(), password: s.ADMIN_PASSWORD },
    supportEmail: s.SUPPORT_EMAIL,
    mail: {
      smtpUrl: s.SMTP_URL,
      from: s.MAIL_FROM ?? `Rebound Sigma <${s.SUPPORT_EMAIL}>`,
      outbox: join(resolve(s.DATA_DIR), 'outbox'),
    },
    stripe:
      s.STRIPE_SECRET_KEY && s.STRIPE_PUBLISHABLE_KEY && s.STRIPE_WEBHOOK_SECRET && s.PAYMENTS !== 'sandbox'
        ? {
            secretKey: s.STRIPE_SECRET_KEY,
            publishableKey: s.STRIPE_PUBLISHABLE_KEY,
            webhookSecret: s.STRIPE_WEBHOOK_SECRET,
          }
        : undefined,
    secretsKey: s.SECRETS_KEY,
    oldSecretsKey: s.SECRETS_KEY_OLD,
    regionLookupUrl: s.REGION_LOOKUP_URL,
    gaMeasurementId: s.GA_MEASUREMENT_ID ?? null,
    package: { indicatorUrl: s.INDICATOR_URL, strategyUrl: s.STRATEGY_URL },
    seller: {
      name: s.SELLER_NAME,
      street: s.SELLER_STREET,
      city: s.SELLER_CITY,
      country: s.SELLER_COUNTRY,
      phone: s.SELLER_PHONE,
      register: s.SELLER_REGISTER,
      vatId: s.SELLER_VAT_ID,
    },
    metricsToken: s.METRICS_TOKEN,
    logLevel: s.LOG_LEVEL,
    /** Off in most tests, where every visitor has the same address. */
    rateLimits: true,
  }
}
