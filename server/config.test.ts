import { expect, test } from 'vitest'
import { type ConfigurationError, readConfig } from './config.ts'
import { production } from './testing/production.ts'

function faultsOf(env: Record<string, string>) {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as ConfigurationError).faults
  }
}

test('an empty environment configures a working shop', () => {
  expect(readConfig({})).toMatchObject({ port: 3000, publicUrl: 'http://localhost:3000', stripe: undefined })
})

test('all configuration errors are reported at once', () => {
  expect(faultsOf({ PORT: 'abc', DATABASE_URL: 'mysql://x', PAYMENTS: 'cash', SECRETS_KEY: '12' })).toEqual([
    'PORT must be a whole number',
    'DATABASE_URL must be an address that starts with postgres:// or postgresql://',
    'PAYMENTS must be sandbox or stripe',
    'SECRETS_KEY must be 64 hexadecimal digits (make one: openssl rand -hex 32)',
  ])
})

test('in production, payments, SECRETS_KEY and PUBLIC_URL must be set', () => {
  expect(faultsOf({ NODE_ENV: 'production' })).toHaveLength(3)
  expect(faultsOf(production)).toEqual([])
})

const liveKeys = {
  STRIPE_SECRET_KEY: 'sk_live_51abc',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_51abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_1234567890abcdef',
}
const sellingShop = {
  ...production,
  ...liveKeys,
  PAYMENTS: '',
  SUPPORT_EMAIL: 'help@shop.example',
  SMTP_URL: 'smtps://mail.shop.example',
  TRUST_PROXY: '1',
  SELLER_NAME: 'Ada',
  SELLER_STREET: 'Main Street 1',
  SELLER_CITY: 'Solothurn',
  SELLER_COUNTRY: 'Switzerland',
}

test('a shop that is ready to sell produces no warnings', () => {
  expect(readConfig(sellingShop).warnings).toEqual([])
  expect(readConfig({}).warnings).toEqual([])
})

test.for([
  [{ HOST: '0.0.0.0' }, 'HOST=0.0.0.0 lets other machines in'],
  [{ HOST: '::' }, 'HOST=:: lets other machines in'],
  [{ HOST: '192.168.1.5' }, 'HOST=192.168.1.5 lets other machines in'],
  [{ PUBLIC_URL: 'https://shop.example' }, 'PUBLIC_URL=https://shop.example is an address for others'],
  [{ PUBLIC_URL: 'http://192.168.1.5:3000' }, 'PUBLIC_URL=http://192.168.1.5:3000 is an address for others'],
  [liveKeys, 'Live Stripe keys take real money'],
] as const)('a shop that others can reach runs in production or does not start: %o', ([env, fault]) => {
  expect(faultsOf(env)).toEqual([expect.stringContaining(fault)])
  expect(faultsOf(env)).toEqual([expect.stringContaining('set NODE_ENV=production ("Sell with it" in README.md)')])
})

test('outside production, HOST and PUBLIC_URL may be any local name', () => {
  for (const host of ['localhost', '127.0.0.1', '::1', '127.0.0.5']) expect(faultsOf({ HOST: host })).toEqual([])
  for (const url of ['http://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]:3000', 'http://shop.localhost'])
    expect(faultsOf({ PUBLIC_URL: url })).toEqual([])
})

test.for([
  [{ ...sellingShop, PUBLIC_URL: 'http://shop.example' }, 'PUBLIC_URL must start with https://'],
  [{ ...sellingShop, PAYMENTS: 'sandbox' }, 'PAYMENTS=sandbox with live Stripe keys'],
  [{ ...sellingShop, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }, 'must both be live keys or both be test keys'],
  [{ ...sellingShop, STRIPE_WEBHOOK_SECRET: 'whsec_' }, 'STRIPE_WEBHOOK_SECRET must start with whsec_, and be as long'],
  [{ ...sellingShop, SECRETS_KEY: '0'.repeat(64) }, 'SECRETS_KEY must be random'],
  [{ ...sellingShop, SECRETS_KEY: 'ab'.repeat(32) }, 'SECRETS_KEY must be random'],
  [{ ...sellingShop, SECRETS_KEY: 'abc' }, 'SECRETS_KEY must be 64 hexadecimal digits'],
  [{ ...sellingShop, ADMIN_EMAIL: 'a@shop.example', ADMIN_PASSWORD: 'Password123' }, 'ADMIN_PASSWORD is one of'],
  [{ ...sellingShop, SUPPORT_EMAIL: '' }, 'With live Stripe keys, set SUPPORT_EMAIL'],
  [{ ...sellingShop, SMTP_URL: '' }, 'With live Stripe keys, set SMTP_URL'],
  [{ ...sellingShop, DATABASE_URL: 'postgres://shop:pw@db.example/shop' }, '?sslmode=verify-full'],
  [{ ...sellingShop, TRUST_PROXY: 'everybody' }, 'TRUST_PROXY must be the number of proxies'],
  [{ ...sellingShop, TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY must be the number of proxies'],
] as const)('settings that would be unsafe in production are refused: %#', ([env, fault]) => {
  expect(faultsOf(env)).toEqual([expect.stringContaining(fault)])
})

test.for([
  [{ MAIL_FROM: 'nope' }, 'MAIL_FROM must be an email address, alone or after a name'],
  [{ MAIL_FROM: 'Rebound Sigma <support@' }, 'MAIL_FROM must be an email address'],
  [{ PUBLIC_URL: 'http://localhost:3000/path' }, 'PUBLIC_URL must end after the host'],
  [{ DATABASE_URL: 'postgres://u:p#w@localhost/shop' }, 'DATABASE_URL cannot be read: in a password, write # as %23'],
  [{ SMTP_URL: 'smtp://u:25#w@localhost' }, 'SMTP_URL cannot be read: in a password, write # as %23'],
  [
    { ADMIN_EMAIL: 'a@shop.example', ADMIN_PASSWORD: 'long'.repeat(33) },
    'ADMIN_PASSWORD must be at most 128 characters long',
  ],
] as const)('a setting that would only fail later is refused at the start: %o', ([env, fault]) => {
  expect(faultsOf(env)).toEqual([expect.stringContaining(fault)])
})

test('a sender is an address, with or without a name', () => {
  for (const from of ['help@shop.example', 'Rebound Sigma <help@shop.example>', '"Ada, Inc." <help@shop.example>'])
    expect(readConfig({ MAIL_FROM: from }).mail.from).toBe(from)
})

test('the URL of a remote database must say whether to encrypt, and that of a local one need not', () => {
  for (const url of [
    'postgres://shop@localhost/shop',
    'postgres://shop@127.0.0.1:5433/shop',
    'postgres:///shop?host=/var/run/postgresql',
    'postgres://shop@database/shop?sslmode=disable',
    'postgres://shop@db.example/shop?sslmode=verify-full',
  ])
    expect([url, faultsOf({ ...sellingShop, DATABASE_URL: url })]).toEqual([url, []])
})

test('a doubtful TRUST_PROXY produces a warning', () => {
  const { warnings } = readConfig({ ...production, TRUST_PROXY: 'true' })
  expect(warnings).toEqual([expect.stringContaining('TRUST_PROXY=true is read as 1')])
  expect(readConfig({ ...sellingShop, TRUST_PROXY: '' }).warnings).toEqual([
    expect.stringContaining('TRUST_PROXY is not set'),
  ])
})

test.for([
  ['false', 0],
  ['0', 0],
  ['true', 1],
  ['2', 2],
  ['10.0.0.5', ['10.0.0.5']],
  ['loopback, 10.1.0.0/16, 2001:db8::/32', ['loopback', '10.1.0.0/16', '2001:db8::/32']],
] as const)('TRUST_PROXY=%s is read as proxies to trust', ([setting, proxies]) => {
  expect(readConfig({ TRUST_PROXY: setting }).trustProxy).toEqual(proxies)
})

test('a Stripe secret key needs the publishable key and the webhook secret', () => {
  expect(faultsOf({ STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
    'STRIPE_SECRET_KEY also needs STRIPE_PUBLISHABLE_KEY',
    'STRIPE_SECRET_KEY also needs STRIPE_WEBHOOK_SECRET',
  ])
})

test('an empty value in .env counts as not set', () => {
  expect(readConfig({ SMTP_URL: '', PORT: '' })).toMatchObject({ port: 3000 })
})

test('REGION_LOOKUP_URL=none turns off the region lookup', () => {
  expect(readConfig({ REGION_LOOKUP_URL: 'none' }).regionLookupUrl).toBeNull()
  expect(readConfig({}).regionLookupUrl).toBe('https://ipapi.co/json/')
  expect(() => readConfig({ REGION_LOOKUP_URL: 'nobody' })).toThrow('REGION_LOOKUP_URL must be none')
})
