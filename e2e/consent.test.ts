import type { Page } from '@playwright/test'
import { expect, test } from './shop.ts'
import { stubRegionLookup } from './visitors.ts'

const banner = (page: Page) => page.getByRole('region', { name: 'Cookie Notice' })

const savedConsent = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'bsl_cookie_consent')

/** The latest value of Google's four signals, which always agree. */
const signals = (page: Page) =>
  page.evaluate(() => {
    const commands = (window.dataLayer ?? []).map((command) => [...(command as IArguments)])
    const last = commands.findLast(([name]) => name === 'consent')
    return [...new Set(Object.values(last?.[2] ?? {}))].join()
  })

test('a toast covers no control of the page or the banner; on a phone it stands over the header', async ({ page }) => {
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
    await page.waitForTimeout(400)
    const over = await toast.boundingBox()
    if (width === 360) expect(over?.y).toBeLessThan(20)
    const buttons = width === 360 ? form.getByRole('button') : page.getByRole('banner').getByRole('link')
    for (const button of await buttons.or(banner(page).getByRole('button')).all()) {
      const under = await button.boundingBox()
      if (!over || !under) continue
      const apart =
        over.y + over.height <= under.y || under.y + under.height <= over.y || over.x >= under.x + under.width
      expect(apart, (await button.textContent()) ?? '').toBe(true)
    }
  }
})

test('a visitor in a listed region is asked; "Accept All" and "Reject All" save their answer for 365 days, and all four signals follow it, now and on later visits, until they choose again', async ({
  page,
}) => {
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
  expect(await signals(page)).toBe('denied')
  for (const { button, value, signal } of [
    { button: 'Accept All', value: 'true', signal: 'granted' },
    { button: 'Reject All', value: 'false', signal: 'denied' },
  ]) {
    await banner(page).getByRole('button', { name: button }).click()
    await expect(banner(page)).toBeHidden()
    expect(await signals(page)).toBe(signal)
    const cookie = await savedConsent(page)
    expect(cookie?.value).toBe(value)
    const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(365)

    await page.reload()
    await expect.poll(() => signals(page)).toBe(signal)
    await expect(banner(page)).toBeHidden()
    await page.getByRole('button', { name: 'Cookie settings' }).click()
    await expect(banner(page).getByRole('heading')).toBeFocused()
  }
})

test('a visitor from elsewhere is not asked, and consent is granted; when the lookup does not answer, returns an error, or names no country, the visitor is asked', async ({
  page,
}) => {
  await stubRegionLookup(page, { country_code: 'US' })
  const answered = page.waitForResponse(/ipapi/)
  await page.goto('/')
  await answered
  await expect.poll(() => signals(page)).toBe('granted')
  await expect(banner(page)).toBeHidden()
  expect(await savedConsent(page)).toBeUndefined()

  for (const answer of ['unreachable', { error: true, country_code: 'US' }, {}] as const) {
    // The last provider in the list answers.
    await stubRegionLookup(page, answer)
    const asked = page.waitForRequest(/ipapi/)
    await page.goto('/')
    await asked
    await expect(banner(page)).toBeVisible()
    expect(await signals(page)).toBe('denied')
  }
})

test('a lookup that never answers times out; until then no banner is shown', async ({ page }) => {
  await page.route(/ipapi/, () => {})
  await page.goto('/')
  await expect.poll(() => signals(page)).toBe('denied')
  await expect(banner(page)).toBeHidden()
  await expect(banner(page)).toBeVisible()
})

test('nothing but the region lookup leaves the site before consent, and the banner covers nothing at the end of a page, at the checkout, too', async ({
  page,
  baseURL,
}) => {
  await stubRegionLookup(page, { country_code: 'DE' })
  const foreign: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== baseURL) foreign.push(request.url())
  })
  for (const path of ['/', '/products/rebound-sigma-pro', '/about', '/checkout?product=rebound-sigma-pro']) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await expect(banner(page)).toBeVisible()
  }
  expect(new Set(foreign)).toEqual(new Set(['https://ipapi.co/json/']))

  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible()
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(page.getByRole('button', { name: 'Accept All' })).toBeInViewport({ ratio: 1 })
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    const last = await page.getByRole('button', { name: 'Cookie settings' }).boundingBox()
    const shown = await banner(page).boundingBox()
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(shown?.y ?? 0)
  }
})
