import type { Page, Request } from '@playwright/test'
import { expect, inMotion, logInAs, test } from './shop.ts'
import { comeFrom, publicPaths } from './visitors.ts'

test.use(inMotion)

/** Loads a page as a first-time visitor and measures what came over the wire. */
async function weigh(page: Page, path: string) {
  const finished: Request[] = []
  page.on('requestfinished', (request) => finished.push(request))
  await page.goto(path, { waitUntil: 'networkidle' })
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
for (const { path, script, all = 140, requests = 10 } of [
  { path: '/', script: 83.67 * 1.02, all: 120, requests: 8 },
  { path: '/products', script: 82.78 * 1.02 },
  { path: '/products/rebound-sigma-pro', script: 90.63 * 1.02 },
  { path: '/about', script: 100.89 * 1.02 },
  { path: '/reviews', script: heaviest },
  { path: '/help', script: heaviest },
  { path: '/withdraw', script: heaviest },
  // What lets a passkey be chosen in the email field is a file and a call more.
  { path: '/auth', script: 98.29 * 1.02, requests: 11 },
  { path: '/checkout?product=rebound-sigma-pro', script: 101.99 * 1.02 },
])
  test(`the first load of ${path} stays within its budget of bytes and requests`, async ({ page }) => {
    await comeFrom(page, { country_code: 'US' })
    const weight = await weigh(page, path)
    expect(weight.script).toBeLessThanOrEqual(script)
    expect(weight.all).toBeLessThanOrEqual(all)
    expect(weight.requests).toBeLessThanOrEqual(requests)
  })

for (const { path, script } of [
  { path: '/dashboard', script: 108.8 * 1.02 },
  { path: '/admin', script: 140 },
])
  test(`the code for ${path} stays within its budget`, async ({ page, shop }) => {
    await comeFrom(page, { country_code: 'US' })
    if (path === '/dashboard') await logInAs(page, await shop.user(), shop)
    if (path === '/admin') await logInAs(page, await shop.admin(), shop)
    expect((await weigh(page, path)).script).toBeLessThanOrEqual(script)
  })

test('a public page loads nothing from checkout, dashboard, or admin', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(scripts.filter((url) => /stripe|admin|dashboard|checkout|toaster|kit/.test(url))).toEqual([])
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
    const shifts = () => page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)
    for (const path of publicPaths) {
      await page.goto(path, { waitUntil: 'networkidle' })
      expect(await shifts(), path).toEqual([])
    }
    await logInAs(page, await shop.user({ name: 'A name that is too long for its button' }), shop)
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(await shifts(), 'logged in').toEqual([])
  })
