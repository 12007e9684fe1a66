import { existsSync } from 'node:fs'
import * as z from 'zod/mini'
import { maxPasswordLength } from '#contract/fields.ts'
import { proxiesOf } from '../http/addresses.ts'

// `.env.example` explains each setting. An error message below continues a sentence that begins with the setting's name.

const integer = (min: number, max: number) =>
  z.coerce
    .number('must be a whole number')
    .check(
      z.int('must be a whole number'),
      z.minimum(min, `must be at least ${min}`),
      z.maximum(max, `must be at most ${max}`),
    )
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, `must be ${words.join(', ').replace(/, (\S+)$/, ' or $1')}`)
const stringWith = (isValid: (value: string) => boolean, message: string) =>
  z.string().check(z.refine<string>(isValid, message))
const matching = (pattern: RegExp, message: string) => stringWith((value) => pattern.test(value), message)
const withMinLength = (minLength: number) =>
  z.string().check(z.minLength(minLength, `must be at least ${minLength} characters long`))
const isUrl = (value: string, schemes: string[]) =>
  URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))
const hasScheme = (schemes: string[]) =>
  z.refine<string>(
    (value) => isUrl(value, schemes),
    `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )
const urlWith = (...schemes: string[]) => z.string().check(hasScheme(schemes))
/** A URL may hold a password, in which an unescaped # or / would end the address before its host. */
const serverUrl = (...schemes: string[]) => {
  const startsWithScheme = (value: string) => schemes.some((scheme) => value.startsWith(`${scheme}://`))
  const isReadable = (value: string) => URL.canParse(value) && !value.includes('#')
  return z.string().check(
    // Another scheme is the fault that `hasScheme` reports.
    z.refine<string>((value) => !startsWithScheme(value) || isReadable(value), {
      error: 'cannot be read: in a password, write # as %23, / as %2F, @ as %40, % as %25',
      abort: true,
    }),
    hasScheme(schemes),
  )
}
const databaseUrl = z.optional(serverUrl('postgres', 'postgresql'))
/** True without a path or query; the scheme's check reports text that is no URL. */
function endsAfterHost(value: string) {
  if (!URL.canParse(value)) return true
  const { href, origin } = new URL(value)
  return href.replace(/\/+$/, '') === origin
}
/** True for an email address, alone or as `Name <address>`. */
function isSender(value: string) {
  const [, addressInBrackets] = /^[^<>@]*<([^<>]*)>$/.exec(value) ?? []
  return z.safeParse(z.email(), addressInBrackets ?? value).success
}
const hexKey = matching(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits (make one: openssl rand -hex 32)')
/** Lower case, as the addresses that people type. */
const emailAddress = z.email('must be an email address').check(z.toLowerCase())
const optionalText = z._default(z.string(), '')

export const settings = z.object({
  NODE_ENV: z._default(oneOf('development', 'production', 'test'), 'development'),
  PORT: z._default(integer(0, 65535), 3000),
  HOST: z._default(z.string(), 'localhost'),
  PUBLIC_URL: z.optional(
    urlWith('http', 'https').check(
      z.refine<string>(
        endsAfterHost,
        'must end after the host (https://shop.example): the shop has a name of its own, never a path',
      ),
    ),
  ),
  WEB_CONCURRENCY: z._default(integer(1, 128), 1),
  TRUST_PROXY: z._default(
    stringWith(
      (value) => proxiesOf(value) !== undefined,
      'must be the number of proxies in front, or their addresses (10.0.0.5, 10.1.0.0/16)',
    ),
    'false',
  ),
  DATA_DIR: z._default(z.string(), './data'),
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: databaseUrl,
  DATABASE_REPLICA_URL: databaseUrl,
  ADMIN_EMAIL: z.optional(emailAddress),
  ADMIN_PASSWORD: z.optional(
    withMinLength(8).check(z.maxLength(maxPasswordLength, `must be at most ${maxPasswordLength} characters long`)),
  ),
  ADMIN_TWO_FACTOR: z.optional(oneOf('required', 'optional')),
  SUPPORT_EMAIL: z.optional(emailAddress),
  SMTP_URL: z.optional(serverUrl('smtp', 'smtps')),
  MAIL_FROM: z.optional(
    stringWith(isSender, 'must be an email address, alone or after a name: Rebound Sigma <support@shop.example>'),
  ),
  MAIL_RATE: z._default(integer(1, 60_000), 120),
  PAYMENTS: z.optional(oneOf('sandbox', 'stripe')),
  STRIPE_SECRET_KEY: z.optional(matching(/^(sk|rk)_/, 'must start with sk_ or rk_')),
  STRIPE_PUBLISHABLE_KEY: z.optional(matching(/^pk_/, 'must start with pk_')),
  STRIPE_WEBHOOK_SECRET: z.optional(
    matching(/^whsec_.{16,}$/, 'must start with whsec_, and be as long as Stripe made it'),
  ),
  TRADINGVIEW: z._default(oneOf('on', 'off'), 'on'),
  SECRETS_KEY: z.optional(hexKey),
  SECRETS_KEY_OLD: z.optional(hexKey),
  REGION_LOOKUP_URL: z._default(
    stringWith(
      (value) => value === 'none' || isUrl(value, ['https', 'http']),
      'must be none, or an address that starts with https:// or http://',
    ),
    'https://ipapi.co/json/',
  ),
  HSTS_SUBDOMAINS: z._default(oneOf('yes', 'no'), 'no'),
  COOKIE_BANNER: z._default(oneOf('always', 'if-needed'), 'always'),
  GA_MEASUREMENT_ID: z.optional(matching(/^G-[A-Z0-9]+$/, 'must look like G-XXXXXXX')),
  ASK_EXCHANGE_KEYS: z._default(oneOf('yes', 'no'), 'yes'),
  SALE_EMAILS: z._default(oneOf('each', 'daily', 'off'), 'each'),
  MONDAY_LETTER: z._default(oneOf('yes', 'no'), 'yes'),
  CARD_NOTICES: z._default(oneOf('yes', 'no'), 'yes'),
  DISCOUNT_NOTICES: z._default(oneOf('yes', 'no'), 'yes'),
  MAKER_NAME: optionalText,
  MAKER_SENTENCE: optionalText,
  MAKER_MORE: optionalText,
  MAKER_LINK: optionalText,
  SHOW_FIGURES: z._default(oneOf('yes', 'no'), 'no'),
  MAKER_PHOTO: z.optional(
    stringWith(
      (file) => /\.(jpe?g|png|webp|avif)$/i.test(file) && existsSync(file),
      'must be the path of a .jpg, .png, .webp or .avif file',
    ),
  ),
  SELLER_NAME: optionalText,
  SELLER_STREET: optionalText,
  SELLER_CITY: optionalText,
  SELLER_COUNTRY: optionalText,
  SELLER_PHONE: optionalText,
  SELLER_REPRESENTATIVE: optionalText,
  SELLER_RESPONSIBLE: optionalText,
  SELLER_REGISTER: optionalText,
  SELLER_REGISTER_COURT: optionalText,
  SELLER_AUTHORITY: optionalText,
  SELLER_VAT_ID: optionalText,
  SELLER_TAX_NUMBER: optionalText,
  TERMS_LAW: z._default(z.string(), 'Swiss law'),
  TERMS_VENUE: z._default(z.string(), 'Solothurn, Switzerland'),
  TAX: z._default(oneOf('none', 'stripe'), 'none'),
  TAX_NOTE: z._default(z.string(), 'No taxes or fees on top.'),
  CONSUMER_LAW: z._default(oneOf('eu', 'none'), 'eu'),
  METRICS_TOKEN: z.optional(withMinLength(16)),
  LOG_LEVEL: z._default(oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'), 'info'),
})

export const settingNames = Object.keys(settings.shape)

export type Settings = z.infer<typeof settings>
