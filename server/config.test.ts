import { expect, test } from 'vitest'
import { type ConfigurationError, readConfig } from './config.ts'

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
  expect(
    faultsOf({
      NODE_ENV: 'production',
      PAYMENTS: 'sandbox',
      SECRETS_KEY: 'ab'.repeat(32),
      PUBLIC_URL: 'https://shop.example',
    }),
  ).toEqual([])
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
