import { expect, type Locator, type Page } from '@playwright/test'
import { accessPromise } from '#contract/access/promise.ts'
import type { TestShop } from '#server/testing/open-shop.ts'

const regionLookupUrl = 'https://ipapi.co/json/'

/** Unlike `stubRegionLookup`, this does not turn off the browser's cache. */
export const declineCookies = (page: Page, { url }: TestShop) =>
  page.context().addCookies([{ name: 'bsl_cookie_consent', value: 'false', url }])

/** The region lookup is the only request that may leave the site. */
export async function stubRegionLookup(
  page: Page,
  response: { country_code?: string; error?: boolean } | 'unreachable',
) {
  await page.route(regionLookupUrl, (route) =>
    response === 'unreachable' ? route.abort() : route.fulfill({ json: response }),
  )
}

export const publicPaths = [
  '/',
  '/products',
  '/products/rebound-sigma-pro',
  '/about',
  '/help',
  '/changelog',
  '/reviews',
  '/legal/terms',
  '/legal/privacy',
  '/legal/imprint',
  '/legal/accessibility',
]

export async function chooseTheme(page: Page, theme: 'light' | 'dark') {
  await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme)
}

/** Returns a function that releases the requests. */
export async function holdRequests(page: Page, address: string | RegExp) {
  const gate = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}

/** A 204 keeps the browser on its page. */
export async function interceptLoginRedirect(page: Page) {
  const redirected = page.waitForResponse('**/api/login')
  await page.route('**/api/login', (route) => route.fulfill({ status: 204 }), { times: 1 })
  await redirected
}

/** Locator of the card fields, which Stripe and the sandbox show in a frame. */
export const cardFrame = (page: Page) => page.locator('iframe[title="Secure payment input frame"]').first()

export async function fillCard(page: Page, number: string) {
  const fields = cardFrame(page).contentFrame()
  await fields.locator('[name=number]').fill(number)
  await fields.locator('[name=expiry]').fill('12 / 34')
  await fields.locator('[name=cvc]').fill('123')
}

/** Position and size of an element that must be visible. */
export async function boxOf(locator: Locator) {
  const box = await locator.boundingBox()
  if (!box) throw new Error('The element must be visible')
  return box
}

/** Drags an element to the right by this number of pixels. */
export async function swipe(page: Page, locator: Locator, distance: number) {
  const box = await boxOf(locator)
  const startX = box.x + 40
  const y = box.y + 20
  await page.mouse.move(startX, y)
  await page.mouse.down()
  await page.mouse.move(startX + distance, y, { steps: 5 })
  await page.mouse.up()
}

export async function payAsGuest(page: Page, email: string, username?: string) {
  await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
  await page.getByLabel('Email', { exact: true }).first().fill(email)
  if (username) await page.getByLabel('TradingView Username (optional)').fill(username)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()

  await fillCard(page, '4242 4242 4242 4242')

  await page.getByRole('button', { name: /^Pay \$39\.00/ }).click()
  await page.getByRole('heading', { name: 'Payment Successful!' }).waitFor()
}

/** The server renders a changed page again within seconds. */
export const waitUntilServed = (shop: TestShop, path: string, text: string) =>
  expect.poll(async () => (await shop.visitor().fetch(path)).text()).toContain(text)

/** The promise changes a few seconds after TradingView was connected. */
export const waitUntilPagesShowConnection = (shop: TestShop) =>
  waitUntilServed(shop, '/products/rebound-sigma-pro', accessPromise({ unlocksItself: true }))

/** Ignores shifts up to 0.005: a font that loads after the first paint moves some line ends by pixels. */
export async function watchLayoutShifts(page: Page) {
  await page.addInitScript(() => {
    const shifts: number[] = []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
    Object.assign(window, { shifts })
  })
  return () => page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.filter((value) => value > 0.005))
}
