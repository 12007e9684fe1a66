import type { Page } from '@playwright/test'

const lookup = 'https://ipapi.co/json/'

/** The answer of the region lookup, which is the only request that may leave the site. */
export async function comeFrom(page: Page, answer: { country_code?: string; error?: boolean } | 'nowhere') {
  await page.route(lookup, (route) =>
    answer === 'nowhere' ? route.abort() : route.fulfill({ json: answer }),
  )
}

export const publicPaths = [
  '/',
  '/products',
  '/products/rebound-sigma-pro',
  '/about',
  '/legal/terms',
  '/legal/privacy',
  '/legal/imprint',
]

export async function chooseTheme(page: Page, theme: 'light' | 'dark') {
  await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme)
}

/** Keeps the page's requests to an address waiting, so that there is time to look; gives back what lets them go. */
export async function holdRequests(page: Page, address: string | RegExp) {
  const gate = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}

/** Until the page has gone to /api/login: answered with nothing, the browser stays where it is, and there is time to read. */
export async function pauseAtLogin(page: Page) {
  const gone = page.waitForResponse('**/api/login')
  await page.route('**/api/login', (route) => route.fulfill({ status: 204 }), { times: 1 })
  await gone
}
