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

test('an empty environment is a working shop', () => {
  expect(readConfig({})).toMatchObject({ port: 3000, publicUrl: 'http://localhost:3000', stripe: undefined })
})

test('every fault is listed at once', () => {
  expect(faultsOf({ PORT: 'abc', DATABASE_URL: 'mysql://x', PAYMENTS: 'cash', SECRETS_KEY: '12' })).toEqual([
    'PORT must be a whole number',
    'DATABASE_URL must be an address that starts with postgres:// or postgresql://',
    'PAYMENTS must be sandbox or stripe',
    'SECRETS_KEY must be 64 hexadecimal digits (make one: openssl rand -hex 32)',
  ])
})

test('production does not start without keys by accident', () => {
  expect(faultsOf({ NODE_ENV: 'production' })).toHaveLength(3)
  expect(faultsOf(production)).toEqual([])
})

const live = {
  STRIPE_SECRET_KEY: 'sk_live_51abc',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_51abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_1234567890abcdef',
}
const selling = {
  ...production,
  ...live,
  PAYMENTS: '',
  SUPPORT_EMAIL: 'help@shop.example',
  SMTP_URL: 'smtps://mail.shop.example',
  TRUST_PROXY: '1',
  SELLER_NAME: 'Ada',
  SELLER_STREET: 'Main Street 1',
  SELLER_CITY: 'Solothurn',
  SELLER_COUNTRY: 'Switzerland',
}

test('what sells has nothing to complain about', () => {
  expect(readConfig(selling).warnings).toEqual([])
  expect(readConfig({}).warnings).toEqual([])
})

test.for([
  [{ HOST: '0.0.0.0' }, 'HOST=0.0.0.0 lets other machines in'],
  [{ HOST: '::' }, 'HOST=:: lets other machines in'],
  [{ HOST: '192.168.1.5' }, 'HOST=192.168.1.5 lets other machines in'],
  [{ PUBLIC_URL: 'https://shop.example' }, 'PUBLIC_URL=https://shop.example is an address for others'],
  [{ PUBLIC_URL: 'http://192.168.1.5:3000' }, 'PUBLIC_URL=http://192.168.1.5:3000 is an address for others'],
  [live, 'Live keys of Stripe take real money'],
] as const)('a shop that others can reach is production or does not start: %o', ([env, fault]) => {
  expect(faultsOf(env)).toEqual([expect.stringContaining(fault)])
  expect(faultsOf(env)).toEqual([
    expect.stringContaining('set NODE_ENV=production ("Sell with it" in README.md)'),
  ])
})

test('on one’s own machine every local name will do', () => {
  for (const host of ['localhost', '127.0.0.1', '::1', '127.0.0.5'])
    expect(faultsOf({ HOST: host })).toEqual([])
  for (const url of [
    'http://localhost:3000',
    'http://127.0.0.1:8080',
    'http://[::1]:3000',
    'http://shop.localhost',
  ])
    expect(faultsOf({ PUBLIC_URL: url })).toEqual([])
})

test.for([
  [{ ...selling, PUBLIC_URL: 'http://shop.example' }, 'PUBLIC_URL must start with https://'],
  [{ ...selling, PAYMENTS: 'sandbox' }, 'PAYMENTS=sandbox with live keys of Stripe'],
  [{ ...selling, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }, 'must both be live keys or both be test keys'],
  [
    { ...selling, STRIPE_WEBHOOK_SECRET: 'whsec_' },
    'STRIPE_WEBHOOK_SECRET must start with whsec_, and be as long',
  ],
  [{ ...selling, SECRETS_KEY: '0'.repeat(64) }, 'SECRETS_KEY must be random'],
  [{ ...selling, SECRETS_KEY: 'ab'.repeat(32) }, 'SECRETS_KEY must be random'],
  [{ ...selling, SECRETS_KEY: 'abc' }, 'SECRETS_KEY must be 64 hexadecimal digits'],
  [{ ...selling, ADMIN_EMAIL: 'a@shop.example', ADMIN_PASSWORD: 'Password123' }, 'ADMIN_PASSWORD is among'],
  [{ ...selling, SUPPORT_EMAIL: '' }, 'With live keys of Stripe set SUPPORT_EMAIL'],
  [{ ...selling, SMTP_URL: '' }, 'With live keys of Stripe set SMTP_URL'],
  [{ ...selling, DATABASE_URL: 'postgres://shop:pw@db.example/shop' }, '?sslmode=verify-full'],
  [{ ...selling, TRUST_PROXY: 'everybody' }, 'TRUST_PROXY must be the number of proxies'],
  [{ ...selling, TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY must be the number of proxies'],
] as const)('what would be unsafe in production is refused: %#', ([env, fault]) => {
  expect(faultsOf(env)).toEqual([expect.stringContaining(fault)])
})

test('a database on this machine needs no encryption, and elsewhere both ways can be said', () => {
  for (const url of [
    'postgres://shop@localhost/shop',
    'postgres://shop@127.0.0.1:5433/shop',
    'postgres:///shop?host=/var/run/postgresql',
    'postgres://shop@database/shop?sslmode=disable',
    'postgres://shop@db.example/shop?sslmode=verify-full',
  ])
    expect([url, faultsOf({ ...selling, DATABASE_URL: url })]).toEqual([url, []])
})

test('what is merely unwise is a warning', () => {
  const { warnings } = readConfig({ ...production, TRUST_PROXY: 'true' })
  expect(warnings).toEqual([
    expect.stringContaining('TRUST_PROXY=true is read as 1'),
    expect.stringContaining('SUPPORT_EMAIL is not set'),
    expect.stringContaining('SMTP_URL is not set'),
    'The imprint is not complete: set SELLER_NAME, SELLER_STREET, SELLER_CITY, SELLER_COUNTRY',
  ])
  expect(readConfig({ ...selling, TRUST_PROXY: '' }).warnings).toEqual([
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
] as const)('TRUST_PROXY=%s', ([given, proxies]) => {
  expect(readConfig({ TRUST_PROXY: given }).trustProxy).toEqual(proxies)
})

test('a secret key of Stripe needs its companions', () => {
  expect(faultsOf({ STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
    'STRIPE_SECRET_KEY needs STRIPE_PUBLISHABLE_KEY beside it',
    'STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET beside it',
  ])
})

test('a value left empty in .env counts as not set', () => {
  expect(readConfig({ SMTP_URL: '', PORT: '' })).toMatchObject({ port: 3000 })
})
