import type { Page, Request } from '@playwright/test'
import { expect, inMotion, logInAs, test } from './shop.ts'
import { comeFrom, publicPaths } from './visitors.ts'

test.use(inMotion)

/** Loads a page as a first-time visitor and measures what came over the wire. */
async function weigh(page: Page, path: string) {
  const finished: Request[] = []
  page.on('requestfinished', (request) => finished.push(request))
  // Waits for the calls of the page: before its last script runs, the network may be quiet for a while.
  const hydrated = page.waitForResponse('**/api/user')
  await page.goto(path, { waitUntil: 'networkidle' })
  await hydrated
  await expect(async () => {
    const { length } = finished
    await page.waitForTimeout(500)
    expect(finished.length).toBe(length)
  }).toPass()
  const loaded = await Promise.all(
    finished.map(async (request) => ({
      type: request.resourceType(),
      bytes: (await request.sizes()).responseBodySize,
    })),
  )
  const scripts = loaded.filter(({ type }) => type === 'script')
  const files = loaded.filter(({ type }) => type !== 'fetch')
  return { kilobytes: scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1000, requests: files.length }
}

/** Kilobytes of JavaScript (brotli) and number of files in a first load, without API calls. */
const budgets = {
  public: { kilobytes: 125, requests: 14 },
  buyer: { kilobytes: 140, requests: 14 },
  admin: { kilobytes: 190, requests: 14 },
}

const pages = [
  ...publicPaths.map((path) => [path, 'public'] as const),
  ['/no-such-page', 'public'],
  ['/auth', 'public'],
  ['/forgot-password', 'public'],
  ['/checkout?product=rebound-sigma-pro', 'buyer'],
  ['/setup-guide', 'buyer'],
  ['/dashboard', 'buyer'],
  ['/account', 'buyer'],
  ['/admin/overview', 'admin'],
  ['/admin/purchases', 'admin'],
] as const

for (const [path, kind] of pages)
  test(`the first load of ${path} stays within the budget of a ${kind} page`, async ({ page, shop }, {
    annotations,
  }) => {
    await comeFrom(page, { country_code: 'US' })
    if (kind !== 'public') await logInAs(page, kind === 'admin' ? await shop.admin() : await shop.user(), shop)
    const weight = await weigh(page, path)
    annotations.push({ type: 'weight', description: `${weight.kilobytes.toFixed(1)} KB, ${weight.requests} requests` })
    expect(weight.kilobytes).toBeLessThanOrEqual(budgets[kind].kilobytes)
    expect(weight.requests).toBeLessThanOrEqual(budgets[kind].requests)
  })

test('nothing of admin or Stripe is loaded before it is needed', async ({ page, shop }) => {
  await comeFrom(page, { country_code: 'US' })
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  await page.goto('/checkout?product=rebound-sigma-pro', { waitUntil: 'networkidle' })
  await logInAs(page, await shop.user(), shop)
  await page.goto('/dashboard', { waitUntil: 'networkidle' })
  expect(scripts.filter((url) => /stripe|card-form|admin/.test(url))).toEqual([])
})

for (const width of [360, 1280])
  test(`nothing shifts while a public page loads, at ${width} px`, async ({ page, shop }) => {
    test.slow()
    await comeFrom(page, { country_code: 'DE' })
    await page.setViewportSize({ width, height: 800 })
    await page.addInitScript(() => {
      const shifts: number[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
      }).observe({ type: 'layout-shift', buffered: true })
      Object.assign(window, { shifts })
    })
    // A font that comes after the first paint moves the ends of a few lines by pixels.
    const shifts = () =>
      page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.filter((value) => value > 0.005))
    for (const path of publicPaths) {
      await page.goto(path, { waitUntil: 'networkidle' })
      expect(await shifts(), path).toEqual([])
    }
    await logInAs(page, await shop.user({ name: 'A name that is too long for its button' }), shop)
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(await shifts(), 'logged in').toEqual([])
  })
