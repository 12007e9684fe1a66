import { expect, expectAccessible, expectAccessibleInBothThemes, overflowOf, test, withMotion } from './shop.ts'
import { declineCookies, publicPaths, stubRegionLookup, watchLayoutShifts } from './visitors.ts'

test.describe('with motion', () => {
  test.use(withMotion)

  test('public pages and the 404 page pass axe in both themes, shift nothing, and fit 320 px and 200% zoom', async ({
    page,
  }) => {
    test.slow()
    await stubRegionLookup(page, { country_code: 'DE' })
    const readLayoutShifts = await watchLayoutShifts(page)
    for (const path of [...publicPaths, '/no-such-page']) {
      // Undoes the axe check of the previous page, which turns motion off.
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      await page.setViewportSize({ width: 360, height: 800 })
      const response = await page.goto(path, { waitUntil: 'networkidle' })
      await expect(page.getByRole('region', { name: 'Cookie Notice' })).toBeVisible()
      expect(await readLayoutShifts(), path).toEqual([])

      await page.setViewportSize({ width: 1280, height: 800 })
      await expectAccessibleInBothThemes(page)
      // 640 px is 1280 px at 200 % zoom.
      for (const width of [640, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(() => overflowOf(page), `${path} at ${width} px`).toBe(0)
      }
      expect(response?.status()).toBe(path === '/no-such-page' ? 404 : 200)
    }
    await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
    await expect(page.getByText('Did you forget to add the page to the router?')).toBeVisible()
  })
})

test('a keyboard user can skip to the content and reach every control of the product page', async ({ page, shop }) => {
  await declineCookies(page, shop)
  await page.goto('/products/rebound-sigma-pro')
  await test.step('nothing moves for visitors who prefer reduced motion', async () => {
    const runningAnimations = await page.evaluate(() =>
      document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1),
    )
    expect(runningAnimations).toEqual([])
    const seenAtOnce = await page.evaluate(() => {
      const main = document.querySelector('main')
      const heading = main?.querySelector('h1')
      if (!main || !heading) throw new Error('The page has no heading')
      return ['hidden', 'visible'].map((visibility) => {
        main.style.visibility = visibility
        return getComputedStyle(heading).visibility
      })
    })
    expect(seenAtOnce).toEqual(['hidden', 'visible'])
  })

  await page.keyboard.press('Tab')
  const skipLink = page.getByRole('link', { name: 'Skip to content' })
  await expect(skipLink).toBeFocused()
  await expect(skipLink).toBeInViewport()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').getByRole('link').first()).toBeFocused()

  const controlCount = await page.getByRole('main').locator('a[href]:visible, button, summary').count()
  const reachedControls = new Set<string>()
  for (let count = 0; count < controlCount; count += 1) {
    const focus = await page.evaluate(() => {
      const element = document.activeElement
      if (!element?.closest('main')) return null
      return { text: element.textContent, outline: getComputedStyle(element).outlineStyle }
    })
    if (focus) {
      expect(focus.outline, focus.text).not.toBe('none')
      reachedControls.add(focus.text)
    }
    await page.keyboard.press('Tab')
  }
  expect(reachedControls.size).toBe(controlCount)

  await test.step('axe finds nothing in an open answer and the phone menu', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.locator('summary').first().click()
    await page.getByRole('button', { name: 'Open menu' }).click()
    await expect(page.getByRole('link', { name: 'Log In' })).toBeVisible()
    await expectAccessible(page)
  })
})
