import type { Page } from '@playwright/test'
import { expect, logInAs, test, withMotion } from './shop.ts'
import { boxOf, declineCookies, holdRequests, swipe } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

test.describe('the theme', () => {
  test('is light at first, remembers the choice, and applies before scripts run', async ({ page }) => {
    const root = page.locator('html')
    await page.goto('/')
    await expect(root).toHaveClass(/\blight\b/)
    await page.getByRole('button', { name: 'Switch to dark theme' }).click()
    await expect(root).toHaveClass(/\bdark\b/)
    expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark')

    await page.reload()
    await expect(root).toHaveClass(/\bdark\b/)
    await page.getByRole('button', { name: 'Switch to light theme' }).click()
    await expect(root).toHaveClass(/\blight\b/)

    await page.getByRole('button', { name: 'Switch to dark theme' }).click()

    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto('/', { waitUntil: 'commit' })
    await expect(root).toHaveClass(/\bdark\b/)
  })
})

test.describe('the header', () => {
  test('shows the user’s name and a menu that works by arrow keys and letters', async ({ page, shop }) => {
    await logInAs(page, await shop.user({ name: 'Nina Newcomer' }), shop)
    // Before the page loads, because a request right after this call may escape.
    await page.route('**/api/logout', (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto('/about')
    const name = page.getByRole('banner').getByText('Nina Newcomer')
    await expect(name).toBeVisible()
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)

    const header = page.getByRole('banner')
    await expect(header.getByRole('link', { name: 'Log In' })).toBeHidden()
    await expect(header.getByRole('link', { name: 'Admin' })).toBeHidden()
    const button = header.getByRole('button', { name: 'Nina Newcomer' })

    await button.press('ArrowDown')
    await expect(page.getByRole('menuitem')).toHaveText(['Dashboard', 'Logout'])
    await expect(page.getByRole('menuitem', { name: 'Dashboard' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitem', { name: 'Dashboard' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menuitem')).toHaveCount(0)
    await expect(button).toBeFocused()

    await button.press('ArrowUp')
    await expect(page.getByRole('menu', { name: 'Nina Newcomer' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused()
    await page.keyboard.press('Control+d')
    await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused()
    await page.keyboard.press('d')
    await expect(page.getByRole('menuitem', { name: 'Dashboard' })).toBeFocused()
    await page.keyboard.press('l')
    await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused()

    await page.keyboard.press('Enter')
    await expect(page.getByText('Logout failed', { exact: true })).toBeVisible()
    await expect(button).toBeFocused()

    await page.unroute('**/api/logout')
    await button.click()
    await page.getByRole('menuitem', { name: 'Dashboard' }).click()
    await expect(page).toHaveURL('/dashboard')
    await button.click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await expect(page).toHaveURL('/')
    await expect(header.getByRole('link', { name: 'Log In' })).toBeVisible()
  })

  test('hides its links in a menu on a phone', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/')
    const header = page.getByRole('banner')
    await expect(header.getByRole('link', { name: 'Products' })).toBeHidden()
    await header.getByRole('button', { name: 'Open menu' }).click()

    const menu = page.locator('#mobile-menu')
    await expect(menu.getByRole('link')).toHaveText(['Products', 'About', 'Help', 'Get access', 'Log In'])
    await expect(menu).toContainText('Theme')
    await menu.getByRole('button', { name: 'Switch to dark theme' }).click()
    await expect(page.locator('html')).toHaveClass(/\bdark\b/)

    await menu.getByRole('link', { name: 'About' }).click()
    await expect(page).toHaveURL('/about')
    await expect(menu).toBeHidden()
    await header.getByRole('button', { name: 'Open menu' }).click()
    await page.goBack()
    await expect(page).toHaveURL('/')
    await expect(menu).toBeHidden()
    await header.getByRole('button', { name: 'Open menu' }).click()
    await page.keyboard.press('Escape')
    await expect(menu).toBeHidden()
    await expect(header.getByRole('button', { name: 'Open menu' })).toBeFocused()
  })
})

test.describe('going from page to page', () => {
  test.use(withMotion)

  test('loads no new document, announces the title and focuses the heading', async ({ page, baseURL }) => {
    await page.goto('/legal/terms')
    const documents: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'document') documents.push(request.url())
    })
    const link = page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' })
    const privacyCode = page.waitForResponse(/assets\/privacy-/)

    await link.hover()
    await privacyCode
    await link.click()

    await expect(page).toHaveURL('/legal/privacy')
    await expect(page).toHaveTitle('Privacy Policy | Rebound Sigma')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
    await expect(page.locator('[aria-live=polite]').filter({ hasText: 'Privacy Policy' })).toHaveCount(1)
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', `${baseURL}/legal/privacy`)
    expect(documents).toEqual([])
  })

  test('starts each page at its top, and the product page also on Back and on a reload', async ({ page }) => {
    await page.goto('/products/rebound-sigma-pro')
    const top = page.getByRole('heading', { level: 1 })
    const link = page.getByRole('link', { name: 'Write to us' })
    await link.scrollIntoViewIfNeeded()
    await link.click()
    await expect(page).toHaveURL('/about#contact')
    await expect(page.getByRole('heading', { name: 'Write to us' })).toBeInViewport()

    await page.goBack()
    await expect(page).toHaveURL('/products/rebound-sigma-pro')
    await expect(top).toBeInViewport()
    await link.scrollIntoViewIfNeeded()
    await expect(top).not.toBeInViewport()
    await page.reload()
    await expect(top).toBeInViewport()

    // Back also undoes a jump within the page.
    await page.getByRole('link', { name: 'Learn How It Works' }).click()
    await expect(page.getByRole('heading', { name: 'How It Works', exact: true })).toBeInViewport()
    await expect(top).not.toBeInViewport()

    await page.goBack()
    await expect(top).toBeInViewport()

    // The next page starts at its top, even after a jump within this one.
    await page.getByRole('link', { name: 'Learn How It Works' }).click()
    await expect(page.getByRole('heading', { name: 'How It Works', exact: true })).toBeInViewport()
    await page.getByRole('banner').getByRole('link', { name: 'About' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
  })

  test('restores the scroll position on Back, even if the visitor scrolled before hydration', async ({ page }) => {
    const releaseScripts = await holdRequests(page, '**/assets/*.js')
    await page.goto('/', { waitUntil: 'commit' })
    const link = page.getByRole('link', { name: 'View Rebound Sigma Pro' })
    await link.scrollIntoViewIfNeeded()
    const userLoaded = page.waitForResponse('**/api/user')

    releaseScripts()
    await userLoaded
    await link.click()
    await expect(page).toHaveURL('/products/rebound-sigma-pro')
    await page.goBack()
    await expect(link).toBeInViewport()
    await link.click()
    await expect(page).toHaveURL('/products/rebound-sigma-pro')
  })

  test('still opens the next page when its code is gone after a new release', async ({ page }) => {
    await page.goto('/')
    await page.route(/assets\/about-/, (route) =>
      new URL(page.url()).pathname === '/' ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    )
    await page.getByRole('banner').getByRole('link', { name: 'About' }).click()
    await expect(page).toHaveURL('/about')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Fewer decisions, made better.')
  })
})

test.describe('toasts', () => {
  test.use(withMotion)

  const toasts = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')

  async function subscribe(page: Page) {
    const field = page.getByRole('contentinfo').getByLabel('Email address')
    await field.fill('reader@example.com')
    await field.press('Enter')
    await expect(toasts(page)).toBeVisible()
    await expect(field).toHaveValue('')
  }

  test.beforeEach(async ({ page }) => {
    await page.route('**/api/newsletter/subscribe', (route) => route.fulfill({ json: {} }))
    await page.goto('/')
  })

  test('show one at a time and are closed by keyboard, by swiping, or after five seconds', async ({ page }) => {
    // Without a connection, the toast's code cannot be loaded, and the next toast tries again.
    const toasterCode = /assets\/toaster-/
    await page.route(toasterCode, (route) => route.abort())
    const failedLoad = page.waitForEvent('requestfailed')
    await page.getByRole('contentinfo').getByLabel('Email address').fill('reader@example.com')
    await page.keyboard.press('Enter')
    await failedLoad
    await expect(page.getByRole('contentinfo').getByLabel('Email address')).toHaveValue('')
    await page.unroute(toasterCode)

    await subscribe(page)
    await subscribe(page)
    await expect(toasts(page)).toHaveCount(1)

    const list = page.getByRole('region', { name: /Notifications/ }).getByRole('list')
    expect((await list.boundingBox())?.width).toBe(420)

    await page.keyboard.press('F8')
    await page.keyboard.press('Tab')
    await expect(toasts(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(toasts(page)).toHaveCount(0)

    // A swipe closes the toast from 50 px on.
    await subscribe(page)
    await swipe(page, toasts(page), 45)
    await expect(toasts(page)).toBeVisible()
    await swipe(page, toasts(page), 60)
    await expect(toasts(page)).toHaveCount(0)

    await page.clock.install()
    await subscribe(page)
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    await page.clock.runFor(2000)
    await expect(toasts(page)).toBeVisible()
    await page.clock.runFor(3000)
    await expect(toasts(page)).toHaveCount(0)
  })
})

test.describe('tooltips', () => {
  test('appear after 700 ms, and immediately if another one was shown just before', async ({ page }) => {
    await page.clock.install()
    await page.goto('/')
    await page.clock.pauseAt(Date.now() + 60_000)
    const toggle = page.getByRole('button', { name: 'Switch to dark theme' })
    const tooltip = page.getByRole('tooltip')

    await toggle.hover()
    await page.clock.runFor(699)
    await expect(tooltip).toBeHidden()
    await page.clock.runFor(1)
    await expect(tooltip).toHaveText('Switch to dark theme')

    // The tooltip stays while the pointer moves onto it, as WCAG 1.4.13 requires for users of a magnifier.
    const buttonBox = await boxOf(toggle)
    const tooltipBox = await boxOf(tooltip)
    await page.mouse.move(buttonBox.x + 20, tooltipBox.y + 10, { steps: 20 })
    await expect(tooltip).toBeVisible()

    await page.mouse.move(0, 400)
    await expect(tooltip).toBeHidden()
    await toggle.hover()
    await page.clock.runFor(1)
    await expect(tooltip).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(tooltip).toBeHidden()
  })
})
