import type { Page, Request } from '@playwright/test'
import { expect, logInAs, test, withMotion } from './shop.ts'
import { declineCookies, fakeRegionLookup, publicPaths, watchLayoutShifts } from './visitors.ts'

test.use(withMotion)

/** Loads a page as a first-time visitor and measures what came over the wire. */
async function weigh(page: Page, path: string) {
  const finished: Request[] = []
  const collect = (request: Request) => finished.push(request)
  page.on('requestfinished', collect)
  // Waits for the calls of the page: before its last script runs, the network may be quiet for a while.
  const hydrated = page.waitForResponse('**/api/user')
  await page.goto(path, { waitUntil: 'networkidle' })
  await hydrated
  await expect(async () => {
    const { length } = finished
    await page.waitForTimeout(500)
    expect(finished.length).toBe(length)
  }).toPass()
  page.off('requestfinished', collect)
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

const pages = {
  public: [...publicPaths, '/no-such-page', '/auth', '/forgot-password'],
  buyer: ['/checkout?product=rebound-sigma-pro', '/setup-guide', '/dashboard', '/account'],
  admin: ['/admin/overview', '/admin/purchases'],
}

for (const kind of ['public', 'buyer', 'admin'] as const)
  test(`the first load of every ${kind} page stays within its budget${kind === 'public' ? ', and nothing shifts' : ''}`, async ({
    page,
    shop,
  }, { annotations }) => {
    test.slow()
    await declineCookies(page, shop)
    if (kind !== 'public') await logInAs(page, kind === 'admin' ? await shop.admin() : await shop.user(), shop)
    const cdp = await page.context().newCDPSession(page)
    const shifts = await watchLayoutShifts(page)
    for (const path of pages[kind]) {
      await cdp.send('Network.clearBrowserCache')
      const weight = await weigh(page, path)
      const description = `${path}: ${weight.kilobytes.toFixed(1)} KB, ${weight.requests} requests`
      annotations.push({ type: 'weight', description })
      expect(weight.kilobytes, path).toBeLessThanOrEqual(budgets[kind].kilobytes)
      expect(weight.requests, path).toBeLessThanOrEqual(budgets[kind].requests)
      if (kind === 'public') expect(await shifts(), path).toEqual([])
    }
  })

test('nothing of admin or Stripe is loaded before it is needed', async ({ page, shop }) => {
  await declineCookies(page, shop)
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  await page.goto('/checkout?product=rebound-sigma-pro', { waitUntil: 'networkidle' })
  await logInAs(page, await shop.user(), shop)
  await page.goto('/dashboard', { waitUntil: 'networkidle' })
  expect(scripts.filter((url) => /stripe|sandbox|card-form|admin/.test(url))).toEqual([])
})

test('nothing shifts while a public page loads on a phone, with the cookie banner, or for someone with a long name', async ({
  page,
  shop,
}) => {
  test.slow()
  await fakeRegionLookup(page, { country_code: 'DE' })
  await page.setViewportSize({ width: 360, height: 800 })
  const shifts = await watchLayoutShifts(page)
  for (const path of publicPaths) {
    await page.goto(path, { waitUntil: 'networkidle' })
    expect(await shifts(), path).toEqual([])
  }
  await logInAs(page, await shop.user({ name: 'A name that is too long for its button' }), shop)
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(await shifts(), `logged in, at ${width} px`).toEqual([])
  }
})
