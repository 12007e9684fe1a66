import type { Page, Request } from '@playwright/test'
import { expect, inMotion, logInAs, test } from './shop.ts'
import { comeFrom, publicPaths } from './visitors.ts'

test.use(inMotion)

/** Loads a page as a first-time visitor and measures what came over the wire. */
async function weigh(page: Page, path: string) {
  const finished: Request[] = []
  page.on('requestfinished', (request) => finished.push(request))
  // Its own calls come with its last script: before them, a busy machine may be quiet for a while.
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
  const kilobytes = (requests: typeof loaded) => requests.reduce((sum, { bytes }) => sum + bytes, 0) / 1000
  return {
    script: kilobytes(loaded.filter(({ type }) => type === 'script')),
    all: kilobytes(loaded),
    requests: loaded.length,
  }
}

// The first build of the shop, and two per cent; a page that it lacked may weigh what its heaviest did.
const heaviest = 101.99
for (const { path, script = heaviest, all = 140, requests = 10, loggedIn } of [
  { path: '/', script: 83.67 * 1.02, all: 120, requests: 8 },
  { path: '/products', script: 82.78 * 1.02 },
  { path: '/products/rebound-sigma-pro', script: 90.63 * 1.02 },
  { path: '/about', script: 100.89 * 1.02 },
  { path: '/help' },
  { path: '/changelog' },
  { path: '/reviews' },
  { path: '/legal/terms', script: 81.33 * 1.02 },
  { path: '/legal/privacy', script: 81.43 * 1.02 },
  { path: '/legal/imprint', script: 80.11 * 1.02 },
  { path: '/legal/accessibility' },
  { path: '/withdraw' },
  { path: '/cancel' },
  { path: '/no-such-page' },
  { path: '/auth', script: 98.29 * 1.02 },
  { path: '/forgot-password', script: 97.51 * 1.02 },
  { path: '/checkout?product=rebound-sigma-pro', script: 101.99 * 1.02 },
  { path: '/setup-guide', script: 87.75 * 1.02, loggedIn: true },
  { path: '/dashboard', script: 108.8 * 1.02, all: 180, requests: 30, loggedIn: true },
])
  test(`the first load of ${path} stays within its budget of bytes and requests`, async ({ page, shop }) => {
    await comeFrom(page, { country_code: 'US' })
    if (loggedIn) await logInAs(page, await shop.user(), shop)
    const weight = await weigh(page, path)
    expect(weight.script).toBeLessThanOrEqual(script)
    expect(weight.all).toBeLessThanOrEqual(all)
    expect(weight.requests).toBeLessThanOrEqual(requests)
  })

test('the code for /admin stays within its budget', async ({ page, shop }) => {
  await comeFrom(page, { country_code: 'US' })
  await logInAs(page, await shop.admin(), shop)
  expect((await weigh(page, '/admin')).script).toBeLessThanOrEqual(140)
})

test('a public page loads nothing from checkout, dashboard, or admin', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(scripts.filter((url) => /stripe|admin|assets-|record-table|dashboard|checkout|toaster|kit/.test(url))).toEqual(
    [],
  )
})

test('what is added to a page restyles no more than itself', async ({ page, request }) => {
  await page.goto('/')
  const styles = await page.locator('link[rel=stylesheet]').getAttribute('href')
  // With a rule for everything below a `:has()`, browsers restyle the whole page for each element that is added.
  expect((await (await request.get(styles ?? '')).text()).match(/:has\([^{,]*\) \*/)).toBeNull()
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
