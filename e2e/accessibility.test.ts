import { expect, expectAccessible, expectAccessibleInBothThemes, overflowOf, test } from './shop.ts'
import { comeFrom, publicPaths } from './visitors.ts'

/** Public pages that work for everyone: screen readers, keyboards, small screens, large text. */

const paths = [...publicPaths, '/no-such-page']

test('every public page passes axe in both themes, with the cookie banner open, and fits 320 px and 200% zoom', async ({
  page,
}) => {
  test.slow()
  await comeFrom(page, { country_code: 'DE' })
  for (const path of paths) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(path)
    await expect(page.getByRole('region', { name: 'Cookie Notice' })).toBeVisible()
    await expectAccessibleInBothThemes(page)
    // 640 px is 1280 px at 200 % zoom.
    for (const width of [640, 320]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(() => overflowOf(page), `${path} at ${width} px`).toBe(0)
    }
  }
})

test('axe finds nothing in the phone menu, an open answer and a toast', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/products/rebound-sigma-pro')
  await page.locator('summary').first().click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'Log In' })).toBeVisible()
  await expectAccessible(page)
  await page.goto('/about')
  await page.getByRole('button', { name: 'Send Message' }).click()
  await expect(page.getByText('Missing fields', { exact: true })).toBeVisible()
  await expectAccessible(page)
})

test('the skip link is the first keyboard stop and leads to the content', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  await page.goto('/')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').getByRole('link').first()).toBeFocused()
})

test('everything on the product page is reachable by keyboard, with visible focus', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  await page.goto('/products/rebound-sigma-pro')
  const controls = await page.getByRole('main').locator('a[href]:visible, button, summary').count()
  const reached = new Set<string>()
  for (let stop = 0; stop < controls + 20; stop += 1) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate(() => {
      const element = document.activeElement
      if (!element?.closest('main')) return null
      return { text: element.textContent, outline: getComputedStyle(element).outlineStyle }
    })
    if (!focus) continue
    expect(focus.outline, focus.text).not.toBe('none')
    reached.add(focus.text)
  }
  expect(reached.size).toBe(controls)
})

test('nothing moves for visitors who prefer reduced motion', async ({ page }) => {
  await comeFrom(page, { country_code: 'US' })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/')
  const moving = await page.evaluate(() =>
    document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1),
  )
  expect(moving).toEqual([])
})

test('the pages read well before any script loads', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const page = await context.newPage()
  await page.goto('/products/rebound-sigma-pro')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rebound Sigma Pro')
  await page.locator('summary').first().click()
  await expect(page.locator('details').first()).toHaveAttribute('open')
  await context.close()
})
