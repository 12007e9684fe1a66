import { test as base, expect, type Frame, type Page } from '@playwright/test'
import axe from 'axe-core'
import { startBuiltShop } from '#server/testing/built-shop.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'
import { type OpenShopOptions, openShop as openTestShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

export { expect }

/** Live keys are never used here. */
const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET = 'whsec_none_reaches_a_test' } = process.env
const stripeKeys =
  STRIPE_SECRET_KEY?.startsWith('sk_test_') && STRIPE_PUBLISHABLE_KEY
    ? { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET }
    : {}

/** The build, with rendered pages. `quirks: {}` keeps the sandbox's own delays; other tests hold its events until `settle()`. */
const builtShopOptions = { withPages: true, withSchedules: true, quirks: {}, start: startBuiltShop }

export const openShop = (options: OpenShopOptions = {}) => openTestShop({ ...builtShopOptions, ...options })

type ShopOpener<Shop = TestShop> = () => Promise<Shop>

const openCommonShop: ShopOpener = () => openShop()

/**
 * A worker's tests share a shop on its own database, unless they say otherwise.
 * A page that reports an error, a hydration mismatch, or a blocked script fails its test.
 */
export const test = base.extend<
  { shop: TestShop; baseURL: string },
  { shopOpenedBy: <Shop extends TestShop>(open: ShopOpener<Shop>) => Promise<Shop> }
>({
  /** Returns the worker's shop for `open`, which is called once for each worker, because it takes several seconds. */
  shopOpenedBy: [
    async ({}, use) => {
      const shops = new Map<ShopOpener, TestShop>()
      const close = async (open: ShopOpener) => {
        await shops.get(open)?.close()
        shops.delete(open)
      }
      await use(async <Shop extends TestShop>(open: ShopOpener<Shop>) => {
        // Keeps the common shop and one other open, because tests of the same kind run one after another.
        for (const opener of shops.keys()) if (opener !== open && opener !== openCommonShop) await close(opener)

        const shop = shops.get(open) ?? (await open())
        shops.set(open, shop)
        return shop as Shop
      })
      await Promise.all([...shops.keys()].map(close))
    },
    { scope: 'worker' },
  ],

  shop: async ({ shopOpenedBy }, use) => use(await shopOpenedBy(openCommonShop)),

  baseURL: async ({ shop }, use) => use(shop.url),

  context: async ({ context }, use) => {
    const pageErrors: string[] = []
    context.on('weberror', (webError) => pageErrors.push(String(webError.error())))
    context.on('console', (message) => {
      // The browser logs failed requests as errors; tests check themselves how the page handles them.
      const isFailedRequest = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isFailedRequest) pageErrors.push(message.text())
    })
    await use(context)
    expect(pageErrors).toEqual([])
  },
})

/** Options for tests of animations; all other tests run with reduced motion (playwright.config.ts). */
export const withMotion = { contextOptions: { reducedMotion: 'no-preference' } } as const

export const testWithShop = <Shop extends TestShop>(open: ShopOpener<Shop>) =>
  test.extend<{ shop: Shop }>({ shop: async ({ shopOpenedBy }, use) => use(await shopOpenedBy(open)) })

/**
 * For tests that change settings or state which others read. With several such tests, a file calls
 * `describe.configure({ mode: 'default' })`, so that one worker runs them in one shop.
 */
export const testWithOwnShop = (env: Record<string, string> = {}) => testWithShop(() => openShop({ env }))

export const testWithConnectedShop = testWithShop(() => openConnectedShop(builtShopOptions))

const openShopAtStripe = 'STRIPE_SECRET_KEY' in stripeKeys ? () => openShop({ env: stripeKeys }) : openCommonShop

/** Uses Stripe itself if its test keys are set, so such tests cannot use the sandbox. */
export const testAlsoAtStripe = test.extend({
  shop: async ({ shopOpenedBy }, use) => use(withoutSandbox(await shopOpenedBy(openShopAtStripe))),
})

/** Throws even without Stripe keys, so that such a test cannot depend on the sandbox. */
function withoutSandbox(shop: TestShop): TestShop {
  const refuse = () => {
    throw new Error('This test also runs at Stripe, where there is no sandbox')
  }
  const sandboxHelpers = ['sandbox', 'pay', 'storeCard', 'changeCard', 'guest', 'buy', 'buyer', 'advance'] as const
  // Changes a copy, because other tests use the sandbox of the same shop.
  return Object.create(shop, Object.fromEntries(sandboxHelpers.map((name) => [name, { get: refuse }])))
}

export async function logInAs(page: Page, { cookies }: Visitor, { url }: TestShop) {
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
}

type AxeOptions = { exclude?: string[]; tags?: string[]; rules?: string[] }

/** Axe rules whose result depends on the theme. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/** Checks only the modal dialog if one is open. */
export async function expectAccessible(page: Page, { exclude = [], tags, rules }: AxeOptions = {}) {
  // An element that is still fading in would fail the contrast rule.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect(page.locator('.skeleton, [aria-busy="true"]:not(button)').filter({ visible: true })).toHaveCount(0)
  await page.evaluate(async () => {
    await document.fonts.ready
    const endingAnimations = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(endingAnimations.map((animation) => animation.finished))
  })

  await Promise.all(page.frames().map(loadAxe))
  const violations = await page.evaluate(
    async ({ excludedSelectors, runOnly, maxRuns }) => {
      let hasChanged = false
      const observer = new MutationObserver(() => {
        hasChanged = true
      })
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
      for (let run = 1; ; run += 1) {
        hasChanged = false
        // `resultTypes` leaves out the elements that pass: listing them takes as long as finding them.
        const results = await (window as unknown as { axe: typeof axe }).axe.run(
          { exclude: excludedSelectors, ...(document.querySelector(':modal') ? { include: [':modal'] } : {}) },
          // `preload` reads style sheets and media again, for a rule that is off and one about autoplay.
          { resultTypes: ['violations'], preload: false, ...(runOnly ? { runOnly } : {}) },
        )
        const foundViolations = results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
        // Axe reads positions only at its start, so violations count only if the page did not change meanwhile.
        if (foundViolations.length === 0 || !hasChanged || run === maxRuns) return foundViolations
      }
    },
    { excludedSelectors: exclude, runOnly: tags ?? rules, maxRuns: 5 },
  )
  expect(violations, page.url()).toEqual([])
}

/** Axe has half a megabyte, so each document loads it once. */
async function loadAxe(frame: Frame) {
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axe.source)
}

/** Only the color rules depend on the theme. The footer has the same colors on every page (public-pages.test.ts). */
export async function expectAccessibleInBothThemes(page: Page) {
  await expectAccessible(page)
  await switchTheme(page)
  await expectAccessible(page, { exclude: ['main ~ footer'], rules: colorRules })
  await switchTheme(page)
}

/** Does without the header's button, because a dialog or menu may cover it. */
export const switchTheme = (page: Page) =>
  page.evaluate(async () => {
    const { classList } = document.documentElement
    const isDark = classList.contains('dark')
    classList.remove('light', 'dark')
    classList.add(isDark ? 'light' : 'dark', 'at-once')
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))
    classList.remove('at-once')
  })

/** Pixels by which the page is wider than the window. */
export const overflowOf = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth))
