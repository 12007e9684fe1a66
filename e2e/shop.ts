import { test as base, expect, type Frame, type Page } from '@playwright/test'
import axe from 'axe-core'
import { startBuiltShop } from '#server/testing/built-shop.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'
import { type OpenShopOptions, openShop as openTestShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

export { expect }

/** Stripe's test keys, if set. Live keys are never used here. */
const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET = 'whsec_none_reaches_a_test' } = process.env
const stripeKeys =
  STRIPE_SECRET_KEY?.startsWith('sk_test_') && STRIPE_PUBLISHABLE_KEY
    ? { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET }
    : {}

/** Shop from the build, with rendered pages and the delays of the sandbox. */
const builtShopOptions = { withPages: true, withSchedules: true, quirks: {}, start: startBuiltShop }

export const openShop = (options: OpenShopOptions = {}) => openTestShop({ ...builtShopOptions, ...options })

type Open<Shop = TestShop> = () => Promise<Shop>

const openCommonShop: Open = () => openShop()

/**
 * Browser tests against a complete shop on its own database, shared by a worker's tests unless they say otherwise.
 * A page that reports an error, a hydration mismatch, or a blocked script fails its test.
 */
export const test = base.extend<
  { shop: TestShop; baseURL: string },
  { shopOpenedBy: <Shop extends TestShop>(open: Open<Shop>) => Promise<Shop> }
>({
  /** Scoped to the worker, because opening a shop takes several seconds. */
  shopOpenedBy: [
    async ({}, use) => {
      const shops = new Map<Open, TestShop>()
      const close = async (open: Open) => {
        await shops.get(open)?.close()
        shops.delete(open)
      }
      await use(async <Shop extends TestShop>(open: Open<Shop>) => {
        // Keeps the common shop and one more: tests of a kind follow one another.
        for (const other of shops.keys()) if (other !== open && other !== openCommonShop) await close(other)
        const shop = shops.get(open) ?? (await open())
        shops.set(open, shop)
        // Reuses a shop that the same function opened.
        return shop as Shop
      })
      await Promise.all([...shops.keys()].map(close))
    },
    { scope: 'worker' },
  ],

  shop: async ({ shopOpenedBy }, use) => use(await shopOpenedBy(openCommonShop)),

  baseURL: async ({ shop }, use) => use(shop.url),

  context: async ({ context }, use) => {
    const complaints: string[] = []
    context.on('weberror', (webError) => complaints.push(String(webError.error())))
    context.on('console', (message) => {
      // The browser's own message about a failed request; tests check how the page handles it.
      const isNote = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isNote) complaints.push(message.text())
    })
    await use(context)
    expect(complaints).toEqual([])
  },
})

/** For tests of motion; all others run with reduced motion (playwright.config.ts). */
export const withMotion = { contextOptions: { reducedMotion: 'no-preference' } } as const

/** For tests that need another kind of shop. */
export const testWithShop = <Shop extends TestShop>(open: Open<Shop>) =>
  test.extend<{ shop: Shop }>({ shop: async ({ shopOpenedBy }, use) => use(await shopOpenedBy(open)) })

/**
 * For tests that change state or settings which other tests share. A file or group of several such tests says
 * `describe.configure({ mode: 'default' })`, so that one worker runs them in one shop.
 */
export const testWithOwnShop = (env: Record<string, string> = {}) => testWithShop(() => openShop({ env }))

/** For tests of a shop that is connected to the sandbox's TradingView. */
export const testWithConnectedShop = testWithShop(() => openConnectedShop(builtShopOptions))

const openShopAtStripe = 'STRIPE_SECRET_KEY' in stripeKeys ? () => openShop({ env: stripeKeys }) : openCommonShop

/** For tests that also run at Stripe, if its test keys are set, and so cannot use the sandbox. */
export const testAlsoAtStripe = test.extend({
  shop: async ({ shopOpenedBy }, use) => use(withoutSandbox(await shopOpenedBy(openShopAtStripe))),
})

/** Makes everything that needs the sandbox throw, with or without keys of Stripe. */
function withoutSandbox(shop: TestShop): TestShop {
  const refuse = () => {
    throw new Error('This test also runs at Stripe, where there is no sandbox')
  }
  const needSandbox = ['sandbox', 'pay', 'storeCard', 'changeCard', 'guest', 'buy', 'buyer', 'advance'] as const
  // On a copy: other tests use the sandbox of the same shop.
  return Object.create(shop, Object.fromEntries(needSandbox.map((name) => [name, { get: refuse }])))
}

/** Gives the browser the session of someone created by `shop.user()` or `shop.admin()`. */
export async function logInAs(page: Page, { cookies }: Visitor, { url }: TestShop) {
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
}

type Look = {
  /** Selectors of what axe leaves out. */
  except?: string[]
  /** Only rules with one of these tags, or only these rules, instead of all. */
  tags?: string[]
  rules?: string[]
}

/** Axe rules whose result depends on the theme. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/** Axe finds no violations in what the visitor sees now: the open modal dialog, or else the page. */
export async function expectAccessible(page: Page, { except = [], tags, rules }: Look = {}) {
  // Elements that are fading in don't have their full contrast yet.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect(page.locator('.skeleton, [aria-busy="true"]:not(button)').filter({ visible: true })).toHaveCount(0)
  await page.evaluate(async () => {
    await document.fonts.ready
    const finite = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(finite.map((animation) => animation.finished))
  })
  await Promise.all(page.frames().map(loadAxe))
  const violations = await page.evaluate(
    async ({ exclude, runOnly, mostRuns }) => {
      let hasChanged = false
      const changes = new MutationObserver(() => {
        hasChanged = true
      })
      changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
      for (let run = 1; ; run += 1) {
        hasChanged = false
        // `resultTypes` leaves out the elements that pass: listing them takes as long as finding them.
        const found = await (window as unknown as { axe: typeof axe }).axe.run(
          { exclude, ...(document.querySelector(':modal') ? { include: [':modal'] } : {}) },
          // `preload` reads style sheets and media again, for a rule that is off and one about autoplay.
          { resultTypes: ['violations'], preload: false, ...(runOnly ? { runOnly } : {}) },
        )
        const faults = found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
        // Axe remembers where elements were when it began, so a finding only counts if the page held still.
        if (faults.length === 0 || !hasChanged || run === mostRuns) return faults
      }
    },
    { exclude: except, runOnly: tags ?? rules, mostRuns: 5 },
  )
  expect(violations, page.url()).toEqual([])
}

/** Loads axe (half a megabyte) once for each document. */
async function loadAxe(frame: Frame) {
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axe.source)
}

/** Runs all rules in the current theme, and the color rules in the other one. */
export async function expectAccessibleInBothThemes(page: Page) {
  await expectAccessible(page)
  await switchTheme(page)
  await expectAccessible(page, { rules: colorRules })
  await switchTheme(page)
}

/** Does what the header's button does; a dialog or menu may cover the button. */
const switchTheme = (page: Page) =>
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
