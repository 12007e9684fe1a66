import { expect, test } from './shop.ts'
import { comeFrom, publicPaths } from './visitors.ts'

const budgets: Record<string, { script: number; all: number; requests: number }> = {
  '/': { script: 85, all: 120, requests: 8 },
  '/products/rebound-sigma-pro': { script: 95, all: 140, requests: 8 },
}

for (const [path, budget] of Object.entries(budgets))
  test(`the first load of ${path} keeps to its budget of bytes and requests`, async ({ page }) => {
    await comeFrom(page, { country_code: 'US' })
    const loaded: { url: string; type: string; bytes: number }[] = []
    page.on('requestfinished', async (request) => {
      const { responseBodySize } = await request.sizes()
      loaded.push({ url: request.url(), type: request.resourceType(), bytes: responseBodySize })
    })
    await page.goto(path, { waitUntil: 'networkidle' })
    const kilobytes = (requests: typeof loaded) => requests.reduce((sum, { bytes }) => sum + bytes, 0) / 1024
    expect(kilobytes(loaded.filter(({ type }) => type === 'script'))).toBeLessThanOrEqual(budget.script)
    expect(kilobytes(loaded)).toBeLessThanOrEqual(budget.all)
    expect(loaded.length).toBeLessThanOrEqual(budget.requests)
  })

test('nothing of checkout, dashboard or admin is loaded with a public page', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(scripts.filter((url) => /stripe|admin|dashboard|checkout|toaster|radix/.test(url))).toEqual([])
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
    const { cookies } = await shop.user({ name: 'A name that is too long for its button' })
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: shop.url })))
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(await shifts(), 'logged in').toEqual([])
  })
