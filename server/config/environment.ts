import { existsSync } from 'node:fs'
import * as z from 'zod/mini'
import { proxiesOf } from '../http/addresses.ts'

/** Every setting the shop knows. `.env.example` explains each; an error message says what to do. */

const whole = (name: string, min: number, max: number) =>
  z.coerce
    .number(`${name} must be a whole number`)
    .check(
      z.int(`${name} must be a whole number`),
      z.minimum(min, `${name} must be at least ${min}`),
      z.maximum(max, `${name} must be at most ${max}`),
    )

const isAddress = (value: string, schemes: string[]) =>
  URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))

const hasScheme = (name: string, schemes: string[]) =>
  z.refine<string>(
    (value) => isAddress(value, schemes),
    `${name} must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )

const address = (name: string, ...schemes: string[]) => z.string().check(hasScheme(name, schemes))

/** With a password: some characters end the address before its host, often unnoticed. */
const addressOfServer = (name: string, ...schemes: string[]) =>
  z.string().check(
    z.refine<string>(
      (value) =>
        !new RegExp(`^(${schemes.join('|')})://`).test(value) || (URL.canParse(value) && !/#/.test(value)),
      {
        error: `${name} cannot be read: in a password, write # as %23, / as %2F, @ as %40, % as %25`,
        abort: true,
      },
    ),
    hasScheme(name, schemes),
  )

const isPlainAddress = (value: string) => z.safeParse(z.email(), value).success

const hexKey = (name: string) =>
  z
    .string()
    .check(
      z.regex(/^[0-9a-f]{64}$/i, `${name} must be 64 hexadecimal digits (make one: openssl rand -hex 32)`),
    )

const emailAddress = (name: string) => z.email(`${name} must be an email address`)

const text = z._default(z.string(), '')

export const settings = z.object({
  NODE_ENV: z._default(
    z.enum(['development', 'production', 'test'], 'NODE_ENV must be development, production or test'),
    'development',
  ),
  PORT: z._default(whole('PORT', 0, 65535), 3000),
  HOST: z._default(z.string(), 'localhost'),
  PUBLIC_URL: z.optional(
    address('PUBLIC_URL', 'http', 'https').check(
      z.refine<string>(
        (value) => !URL.canParse(value) || new URL(value).href.replace(/\/+$/, '') === new URL(value).origin,
        'PUBLIC_URL must end after the host (https://shop.example): the shop has a name of its own, never a path',
      ),
    ),
  ),
  WEB_CONCURRENCY: z._default(whole('WEB_CONCURRENCY', 1, 128), 1),
  TRUST_PROXY: z._default(
    z
      .string()
      .check(
        z.refine<string>(
          (value) => proxiesOf(value) !== undefined,
          'TRUST_PROXY must be the number of proxies in front, or their addresses (10.0.0.5, 10.1.0.0/16)',
        ),
      ),
    'false',
  ),
  DATA_DIR: z._default(z.string(), './data'),
  DATABASE_URL: z.optional(addressOfServer('DATABASE_URL', 'postgres', 'postgresql')),
  DATABASE_DIRECT_URL: z.optional(addressOfServer('DATABASE_DIRECT_URL', 'postgres', 'postgresql')),
  DATABASE_REPLICA_URL: z.optional(addressOfServer('DATABASE_REPLICA_URL', 'postgres', 'postgresql')),
  ADMIN_EMAIL: z.optional(emailAddress('ADMIN_EMAIL')),
  ADMIN_PASSWORD: z.optional(
    z.string().check(z.minLength(8, 'ADMIN_PASSWORD must be at least 8 characters long')),
  ),
  ADMIN_TWO_FACTOR: z.optional(
    z.enum(['required', 'optional'], 'ADMIN_TWO_FACTOR must be required or optional'),
  ),
  SUPPORT_EMAIL: z.optional(emailAddress('SUPPORT_EMAIL')),
  SMTP_URL: z.optional(addressOfServer('SMTP_URL', 'smtp', 'smtps')),
  MAIL_FROM: z.optional(
    z
      .string()
      .check(
        z.refine<string>(
          (value) => isPlainAddress(/^[^<>@]*<([^<>]*)>$/.exec(value)?.[1] ?? value),
          'MAIL_FROM must be an email address, alone or after a name: Rebound Sigma <support@shop.example>',
        ),
      ),
  ),
  MAIL_RATE: z._default(whole('MAIL_RATE', 1, 60_000), 120),
  PAYMENTS: z.optional(z.enum(['sandbox', 'stripe'], 'PAYMENTS must be sandbox or stripe')),
  STRIPE_SECRET_KEY: z.optional(
    z.string().check(z.regex(/^(sk|rk)_/, 'STRIPE_SECRET_KEY must start with sk_ or rk_')),
  ),
  STRIPE_PUBLISHABLE_KEY: z.optional(
    z.string().check(z.regex(/^pk_/, 'STRIPE_PUBLISHABLE_KEY must start with pk_')),
  ),
  STRIPE_WEBHOOK_SECRET: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^whsec_.{16,}$/,
          'STRIPE_WEBHOOK_SECRET must start with whsec_, and be as long as Stripe made it',
        ),
      ),
  ),
  TRADINGVIEW: z._default(z.enum(['on', 'off'], 'TRADINGVIEW must be on or off'), 'on'),
  SECRETS_KEY: z.optional(hexKey('SECRETS_KEY')),
  SECRETS_KEY_OLD: z.optional(hexKey('SECRETS_KEY_OLD')),
  REGION_LOOKUP_URL: z._default(
    z
      .string()
      .check(
        z.refine<string>(
          (value) => value === 'none' || isAddress(value, ['https', 'http']),
          'REGION_LOOKUP_URL must be none, or an address that starts with https:// or http://',
        ),
      ),
    'https://ipapi.co/json/',
  ),
  COOKIE_BANNER: z._default(
    z.enum(['always', 'if-needed'], 'COOKIE_BANNER must be always or if-needed'),
    'always',
  ),
  GA_MEASUREMENT_ID: z.optional(
    z.string().check(z.regex(/^G-[A-Z0-9]+$/, 'GA_MEASUREMENT_ID must look like G-XXXXXXX')),
  ),
  INDICATOR_URL: z._default(address('INDICATOR_URL', 'https'), 'https://www.tradingview.com/scripts/'),
  STRATEGY_URL: z._default(address('STRATEGY_URL', 'https'), 'https://www.tradingview.com/scripts/'),
  ASK_EXCHANGE_KEYS: z._default(z.enum(['yes', 'no'], 'ASK_EXCHANGE_KEYS must be yes or no'), 'yes'),
  MAKER_NAME: text,
  MAKER_SENTENCE: text,
  MAKER_PHOTO: z.optional(
    z
      .string()
      .check(
        z.refine<string>(
          (file) => /\.(jpe?g|png|webp|avif)$/i.test(file) && existsSync(file),
          'MAKER_PHOTO must be the path of a .jpg, .png, .webp or .avif file',
        ),
      ),
  ),
  SELLER_NAME: text,
  SELLER_STREET: text,
  SELLER_CITY: text,
  SELLER_COUNTRY: text,
  SELLER_PHONE: text,
  SELLER_REPRESENTATIVE: text,
  SELLER_RESPONSIBLE: text,
  SELLER_REGISTER: text,
  SELLER_REGISTER_COURT: text,
  SELLER_AUTHORITY: text,
  SELLER_VAT_ID: text,
  SELLER_TAX_NUMBER: text,
  TAX: z._default(z.enum(['none', 'stripe'], 'TAX must be none or stripe'), 'none'),
  TAX_NOTE: z._default(z.string(), 'No taxes or fees on top.'),
  CONSUMER_LAW: z._default(z.enum(['eu', 'none'], 'CONSUMER_LAW must be eu or none'), 'eu'),
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

export type Settings = z.output<typeof settings>
