import { expect, test } from 'vitest'
import { openShop } from '../testing/open-shop.ts'
import { production } from '../testing/production.ts'

test('the sandbox’s controls are there for trying things out, and gone in production', async () => {
  for (const [env, status] of [
    [{}, 200],
    [production, 404],
  ] as const) {
    await using shop = await openShop({ env })
    const response = await fetch(`http://localhost:${shop.config.port}/_sandbox/`)
    expect(response.status).toBe(status)
  }
})
