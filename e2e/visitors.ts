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
