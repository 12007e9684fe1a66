import type { Page, Request } from '@playwright/test'
import { expect, logInAs, test, withMotion } from './shop.ts'
import { declineCookies, publicPaths, stubRegionLookup, watchLayoutShifts } from './visitors.ts'

test.use(withMotion)

const quietMs = 500

async function measureFirstLoad(page: Page, path: string) {
  const openRequests = new Set<Request>()
  const finishedRequests: Request[] = []
  let changedAt = performance.now()
  const start = (request: Request) => {
    openRequests.add(request)
    changedAt = performance.now()
  }
  const end = (request: Request) => {
    openRequests.delete(request)
    changedAt = performance.now()
  }
  const finish = (request: Request) => {
    finishedRequests.push(request)
    end(request)
  }
  page.on('request', start).on('requestfinished', finish).on('requestfailed', end)
  // The network can be idle before the page's last script runs, which makes this call.
  const userLoaded = page.waitForResponse('**/api/user')
  await page.goto(path)
  await userLoaded
  await expect
    .poll(() => openRequests.size === 0 && performance.now() - changedAt >= quietMs, { intervals: [100] })
    .toBe(true)

  page.off('request', start).off('requestfinished', finish).off('requestfailed', end)
  const resources = await Promise.all(
    finishedRequests.map(async (request) => ({
      type: request.resourceType(),
      bytes: (await request.sizes()).responseBodySize,
    })),
  )
  const scripts = resources.filter(({ type }) => type === 'script')
  const files = resources.filter(({ type }) => type !== 'fetch')
  const kilobytes = scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1000
  const scriptRequests = finishedRequests.filter((request) => request.resourceType() === 'script')
  return { kilobytes, requests: files.length, unneeded: await findUnneeded(scriptRequests) }
}

/** Calls of the admin area and Stripe's address, which no script of a visitor or buyer may contain before paying. */
async function findUnneeded(scripts: Request[]) {
  const sources = await Promise.all(scripts.map(async (script) => (await script.response())?.text()))
  const matches = sources.join('\n').match(/\/api\/admin\/[a-z-]+|js\.stripe\.com/g) ?? []
  return [...new Set(matches)]
}

/** Kilobytes of JavaScript (brotli) and number of files in a first load, without API calls. */
const budgets = {
  public: { kilobytes: 125, requests: 14 },
  buyer: { kilobytes: 140, requests: 14 },
  admin: { kilobytes: 190, requests: 14 },
  /** An admin screen that also loads the buyer's dashboard. */
  seeAs: { kilobytes: 205, requests: 17 },
}

const seeAsPath = '/admin/customers/:buyer/dashboard'

const pages = {
  public: [...publicPaths, '/no-such-page', '/auth', '/forgot-password'],
  buyer: ['/checkout?product=rebound-sigma-pro', '/setup-guide', '/dashboard', '/account'],
  // The screens after the first two are scripts of their own.
  admin: [
    '/admin/overview',
    '/admin/purchases',
    '/admin/settings',
    '/admin/purchases/disputes/du_unknown',
    '/admin/messages/newsletters/new',
    seeAsPath,
  ],
}

const besides = {
  public: ', without code of admin or Stripe, and nothing shifts',
  buyer: ', without code of admin or Stripe',
  admin: '',
}

for (const kind of ['public', 'buyer', 'admin'] as const)
  test(`the first load of every ${kind} page stays within its budget${besides[kind]}`, async ({ page, shop }, {
    annotations,
  }) => {
    test.slow()
    await declineCookies(page, shop)
    if (kind !== 'public') await logInAs(page, kind === 'admin' ? await shop.admin() : await shop.user(), shop)
    const cdp = await page.context().newCDPSession(page)

    const readLayoutShifts = await watchLayoutShifts(page)
    const buyer = kind === 'admin' ? (await shop.buyer()).user.id : ''
    for (const pattern of pages[kind]) {
      const path = pattern.replace(':buyer', buyer)
      await cdp.send('Network.clearBrowserCache')
      const load = await measureFirstLoad(page, path)
      const description = `${path}: ${load.kilobytes.toFixed(1)} KB, ${load.requests} requests`
      annotations.push({ type: 'weight', description })
      const budget = budgets[pattern === seeAsPath ? 'seeAs' : kind]
      expect(load.kilobytes, path).toBeLessThanOrEqual(budget.kilobytes)
      expect(load.requests, path).toBeLessThanOrEqual(budget.requests)
      if (kind !== 'admin') expect(load.unneeded, path).toEqual([])
      if (kind === 'public') expect(await readLayoutShifts(), path).toEqual([])
    }
  })

test('nothing shifts while the home page loads for a user with a long name', async ({ page, shop }) => {
  await stubRegionLookup(page, { country_code: 'DE' })
  const readLayoutShifts = await watchLayoutShifts(page)
  await logInAs(page, await shop.user({ name: 'A name that is too long for its button' }), shop)
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(await readLayoutShifts(), `at ${width} px`).toEqual([])
  }
})
