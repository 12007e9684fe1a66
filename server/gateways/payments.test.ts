import { expect, test } from 'vitest'
import { openShop } from '../testing/open-shop.ts'

test('the sandbox’s controls are there to try things out, and gone in production', async () => {
  const production = {
    NODE_ENV: 'production',
    PAYMENTS: 'sandbox',
    SECRETS_KEY: 'ab'.repeat(32),
    PUBLIC_URL: 'https://shop.example',
  }
  for (const [env, status] of [
    [{}, 200],
    [production, 404],
  ] as const) {
    await using shop = await openShop({ env })
    const response = await fetch(`http://localhost:${shop.config.port}/_sandbox/`)
    expect(response.status).toBe(status)
  }
})
