import { existsSync } from 'node:fs'
import { z } from 'zod'
import { proxiesOf } from '../http/addresses.ts'

/** Every setting the shop knows. `.env.example` explains each; an error's message goes on after the name, and says what to do. */

const whole = (min: number, max: number) =>
  z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, `must be ${words.join(', ').replace(/, (\S+)$/, ' or $1')}`)
const such = (isRight: (value: string) => boolean, otherwise: string) => z.string().refine(isRight, otherwise)
const like = (pattern: RegExp, otherwise: string) => such((value) => pattern.test(value), otherwise)
const longAs = (least: number) => such(({ length }) => length >= least, `must be at least ${least} characters long`)
const isAddress = (value: string, schemes: string[]) =>
  URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))
const hasScheme = (schemes: string[]) =>
  z.refine<string>(
    (value) => isAddress(value, schemes),
    `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )
const address = (...schemes: string[]) => z.string().check(hasScheme(schemes))
/** With a password: some characters end the address before its host, often unnoticed. */
const addressOfServer = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (value) => !new RegExp(`^(${schemes.join('|')})://`).test(value) || (URL.canParse(value) && !/#/.test(value)),
      { error: 'cannot be read: in a password, write # as %23, / as %2F, @ as %40, % as %25', abort: true },
    )
    .check(hasScheme(schemes))
const database = addressOfServer('postgres', 'postgresql').optional()
const isPlainAddress = (value: string) => z.email().safeParse(value).success
const hexKey = like(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits (make one: openssl rand -hex 32)')
const emailAddress = z.email('must be an email address')
const text = z.string().default('')
const scripts = address('https').default('https://www.tradingview.com/scripts/')

export const settings = z.object({
  NODE_ENV: oneOf('development', 'production', 'test').default('development'),
  PORT: whole(0, 65535).default(3000),
  HOST: z.string().default('localhost'),
  PUBLIC_URL: address('http', 'https')
    .refine(
      (value) => !URL.canParse(value) || new URL(value).href.replace(/\/+$/, '') === new URL(value).origin,
      'must end after the host (https://shop.example): the shop has a name of its own, never a path',
    )
    .optional(),
  WEB_CONCURRENCY: whole(1, 128).default(1),
  TRUST_PROXY: such(
    (value) => proxiesOf(value) !== undefined,
    'must be the number of proxies in front, or their addresses (10.0.0.5, 10.1.0.0/16)',
  ).default('false'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: database,
  DATABASE_DIRECT_URL: database,
  DATABASE_REPLICA_URL: database,
  ADMIN_EMAIL: emailAddress.optional(),
  ADMIN_PASSWORD: longAs(8).optional(),
  ADMIN_TWO_FACTOR: oneOf('required', 'optional').optional(),
  SUPPORT_EMAIL: emailAddress.optional(),
  SMTP_URL: addressOfServer('smtp', 'smtps').optional(),
  MAIL_FROM: such(
    (value) => isPlainAddress(/^[^<>@]*<([^<>]*)>$/.exec(value)?.[1] ?? value),
    'must be an email address, alone or after a name: Rebound Sigma <support@shop.example>',
  ).optional(),
  MAIL_RATE: whole(1, 60_000).default(120),
  PAYMENTS: oneOf('sandbox', 'stripe').optional(),
  STRIPE_SECRET_KEY: like(/^(sk|rk)_/, 'must start with sk_ or rk_').optional(),
  STRIPE_PUBLISHABLE_KEY: like(/^pk_/, 'must start with pk_').optional(),
  STRIPE_WEBHOOK_SECRET: like(/^whsec_.{16,}$/, 'must start with whsec_, and be as long as Stripe made it').optional(),
  TRADINGVIEW: oneOf('on', 'off').default('on'),
  SECRETS_KEY: hexKey.optional(),
  SECRETS_KEY_OLD: hexKey.optional(),
  REGION_LOOKUP_URL: such(
    (value) => value === 'none' || isAddress(value, ['https', 'http']),
    'must be none, or an address that starts with https:// or http://',
  ).default('https://ipapi.co/json/'),
  COOKIE_BANNER: oneOf('always', 'if-needed').default('always'),
  GA_MEASUREMENT_ID: like(/^G-[A-Z0-9]+$/, 'must look like G-XXXXXXX').optional(),
  INDICATOR_URL: scripts,
  STRATEGY_URL: scripts,
  ASK_EXCHANGE_KEYS: oneOf('yes', 'no').default('yes'),
  MAKER_NAME: text,
  MAKER_SENTENCE: text,
  MAKER_PHOTO: such(
    (file) => /\.(jpe?g|png|webp|avif)$/i.test(file) && existsSync(file),
    'must be the path of a .jpg, .png, .webp or .avif file',
  ).optional(),
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
  TAX: oneOf('none', 'stripe').default('none'),
  TAX_NOTE: z.string().default('No taxes or fees on top.'),
  CONSUMER_LAW: oneOf('eu', 'none').default('eu'),
  METRICS_TOKEN: longAs(16).optional(),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
})

export const settingNames = Object.keys(settings.shape)

export type Settings = z.infer<typeof settings>
