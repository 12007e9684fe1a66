import { test as base } from '@playwright/test'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

export { expect } from '@playwright/test'

/** Browser tests with a whole shop: one for each worker, on a database of its own. */
export const test = base.extend<{ baseURL: string }, { shop: TestShop }>({
  shop: [
    async ({}, use) => {
      const shop = await openShop({ withPages: true })
      await use(shop)
      await shop.close()
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ shop }, use) => use(shop.url),
})
