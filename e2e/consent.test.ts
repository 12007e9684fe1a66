import type { Page } from '@playwright/test'
import { expect, test } from './shop.ts'
import { boxOf, stubRegionLookup } from './visitors.ts'

const banner = (page: Page) => page.getByRole('region', { name: 'Cookie Notice' })

const findConsentCookie = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'bsl_cookie_consent')

/** Reads the latest value of Google's four consent signals; different values would be joined by commas. */
const readConsentSignal = (page: Page) =>
  page.evaluate(() => {
    const commands = (window.dataLayer ?? []).map((command) => [...(command as IArguments)])
    const [, , signals = {}] = commands.findLast(([name]) => name === 'consent') ?? []
    return [...new Set(Object.values(signals))].join()
  })

test('a toast covers no button of the form, header or cookie banner', async ({ page }) => {
  await stubRegionLookup(page, { country_code: 'DE' })
  await page.route('**/api/newsletter/subscribe', (route) => route.fulfill({ json: {} }))
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/products')
    await expect(banner(page)).toBeVisible()
    const form = page.getByRole('main').locator('form')
    await form.getByLabel('Email address').fill('reader@example.com')
    await form.getByLabel('Email address').press('Enter')
    const toast = page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')
    await expect(toast).toBeVisible()
    await toast.evaluate(async (element) => {
      // The toast may move one frame after it is drawn.
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
      await Promise.all(element.getAnimations().map((animation) => animation.finished))
    })
    const toastBox = await boxOf(toast)
    // On a phone, the toast stands over the header.
    if (width === 360) expect(toastBox.y).toBeLessThan(20)
    const [pageButtons, pageButtonNames] =
      width === 360
        ? [form.getByRole('button'), ['Subscribe']]
        : [page.getByRole('banner').getByRole('link'), ['Rebound Sigma', 'Products', 'About', 'Log In', 'Get access']]
    const buttons = pageButtons.or(banner(page).getByRole('button')).filter({ visible: true })
    await expect(buttons).toHaveText([...pageButtonNames, 'Accept All', 'Reject All'])
    for (const button of await buttons.all()) {
      const buttonBox = await boxOf(button)
      const isAbove = toastBox.y + toastBox.height <= buttonBox.y
      const isBelow = buttonBox.y + buttonBox.height <= toastBox.y
      const isRight = toastBox.x >= buttonBox.x + buttonBox.width
      expect(isAbove || isBelow || isRight, (await button.textContent()) ?? '').toBe(true)
    }
  }
})

test('a visitor from a listed region is asked, and the choice lasts 365 days or until changed', async ({ page }) => {
  await stubRegionLookup(page, { country_code: 'GB' })
  await page.goto('/')
  await expect(banner(page).getByRole('heading')).toHaveText('Cookie Notice')
  await expect(banner(page)).toContainText(
    'We use cookies to enhance your browsing experience and analyze our traffic. By clicking "Accept All", you consent to our use of cookies.',
  )
  await expect(banner(page).getByRole('link', { name: 'Learn more', exact: true })).toHaveAttribute(
    'href',
    '/legal/privacy',
  )
  await expect(banner(page).getByRole('button')).toHaveText(['Accept All', 'Reject All'])
  expect(await readConsentSignal(page)).toBe('denied')
  for (const { button, value, signal } of [
    { button: 'Accept All', value: 'true', signal: 'granted' },
    { button: 'Reject All', value: 'false', signal: 'denied' },
  ]) {
    await banner(page).getByRole('button', { name: button }).click()
    await expect(banner(page)).toBeHidden()
    expect(await readConsentSignal(page)).toBe(signal)
    const cookie = await findConsentCookie(page)
    expect(cookie?.value).toBe(value)
    const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(365)

    await page.reload()
    await expect.poll(() => readConsentSignal(page)).toBe(signal)
    await expect(banner(page)).toBeHidden()
    await page.getByRole('button', { name: 'Cookie settings' }).click()
    await expect(banner(page).getByRole('heading')).toBeFocused()
  }
})

test('a visitor from another region is not asked, but one whose region is unknown is', async ({ page }) => {
  await stubRegionLookup(page, { country_code: 'US' })
  const lookupResponse = page.waitForResponse(/ipapi/)
  await page.goto('/')
  await lookupResponse
  await expect.poll(() => readConsentSignal(page)).toBe('granted')
  await expect(banner(page)).toBeHidden()
  expect(await findConsentCookie(page)).toBeUndefined()

  for (const response of ['unreachable', { error: true, country_code: 'US' }, {}] as const) {
    // Playwright uses the route that was added last.
    await stubRegionLookup(page, response)
    const lookupRequest = page.waitForRequest(/ipapi/)
    await page.goto('/')
    await lookupRequest
    await expect(banner(page)).toBeVisible()
    expect(await readConsentSignal(page)).toBe('denied')
  }
})

test('the banner appears when the region lookup times out', async ({ page }) => {
  await page.route(/ipapi/, () => {})
  await page.goto('/')
  await expect.poll(() => readConsentSignal(page)).toBe('denied')
  await expect(banner(page)).toBeHidden()

  await expect(banner(page)).toBeVisible()
})

test('only the region lookup leaves the site before consent, and the banner covers no page end', async ({
  page,
  baseURL,
}) => {
  await stubRegionLookup(page, { country_code: 'DE' })
  const externalRequests: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== baseURL) externalRequests.push(request.url())
  })
  for (const path of ['/', '/products/rebound-sigma-pro', '/about', '/checkout?product=rebound-sigma-pro']) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await expect(banner(page)).toBeVisible()
  }
  expect(new Set(externalRequests)).toEqual(new Set(['https://ipapi.co/json/']))

  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible()
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(page.getByRole('button', { name: 'Accept All' })).toBeInViewport({ ratio: 1 })
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    const lastButtonBox = await boxOf(page.getByRole('button', { name: 'Cookie settings' }))
    const bannerBox = await boxOf(banner(page))
    expect(lastButtonBox.y + lastButtonBox.height).toBeLessThanOrEqual(bannerBox.y)
  }
})
