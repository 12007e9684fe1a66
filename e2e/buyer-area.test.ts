import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { assetsAdmin } from '#contract/access/assets-admin.ts'
import { recommendedAssets } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { findAccessId } from './admin-helpers.ts'
import { expect, expectAccessible, logInAs, test } from './shop.ts'
import { declineCookies, holdRequests } from './visitors.ts'

type TestUser = Awaited<ReturnType<TestShop['user']>>

async function openPage(page: Page, path: string, user: TestUser, shop: TestShop) {
  await logInAs(page, user, shop)
  await declineCookies(page, shop)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const accessCard = (page: Page) => page.getByRole('region', { name: 'TradingView Access' })
const accessForm = (page: Page) => page.getByRole('form', { name: 'TradingView Access Request' })
const assetList = (page: Page) => page.getByRole('region', { name: 'Recommended Assets' })
const visibleToast = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')

async function fillAccessForm(page: Page, username: string) {
  await accessForm(page).getByLabel('Exchange Name').fill('Binance')
  await accessForm(page).getByLabel('TradingView Username').fill(username)
  await accessForm(page).getByLabel('Exchange API Key').fill('my api key')
  await accessForm(page).getByLabel('Exchange Secret Key').fill('my secret key')
}

const requestAccess = (buyer: Awaited<ReturnType<TestShop['buyer']>>, tradingViewUsername: string) =>
  buyer.call(access.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Binance',
    tradingViewUsername,
    apiKey: 'key',
    secretKey: 'secret',
  })

test.describe('TradingView access', () => {
  test('can be requested from the dashboard, which says when a request fails or is late', async ({ page, shop }) => {
    const buyer = await shop.buyer()

    await openPage(page, '/dashboard', buyer, shop)

    await accessCard(page).getByRole('button', { name: 'Request Access' }).click()
    await accessForm(page).getByRole('button', { name: 'Submit Access Request' }).click()
    for (const text of [
      'Exchange name is required',
      'TradingView username is required',
      'API key is required',
      'Secret key is required',
    ])
      await expect(accessForm(page).getByText(text, { exact: true })).toBeVisible()
    await expect(accessForm(page).getByLabel('Exchange Name')).toBeFocused()
    await expectAccessible(page)

    await fillAccessForm(page, 'ada_trades')
    const key = accessForm(page).getByLabel('Exchange API Key')
    await expect(key).toHaveAttribute('type', 'password')
    await accessForm(page).getByRole('button', { name: 'Show API key' }).click()
    await expect(key).toHaveAttribute('type', 'text')

    await page.route('**/access-request', (route) =>
      route.fulfill({ status: 409, json: { message: 'This subscription has ended.' } }),
    )

    await accessForm(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(visibleToast(page)).toContainText('Submission failed')
    await expect(visibleToast(page)).toContainText('This subscription has ended.')
    await expect(key).toHaveValue('my api key')

    const responseReleased = Promise.withResolvers<void>()
    await page.route('**/access-request', async (route) => {
      await responseReleased.promise
      await route.continue()
    })

    await accessForm(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(accessForm(page).getByRole('button', { name: 'Submitting...' })).toBeDisabled()
    responseReleased.resolve()
    await expect(visibleToast(page)).toContainText('Access request submitted!')
    await expect(visibleToast(page)).toContainText("We'll send your TradingView access within 24 hours.")

    await expect(accessForm(page)).toBeHidden()
    await expect(accessCard(page)).toContainText('ada_trades')
    await expect(accessCard(page).getByText('requested', { exact: true })).toBeVisible()
    await expect(accessCard(page)).toContainText(/We have your request and will email you by /)

    await test.step('the card says when the promised time has passed', async () => {
      const [ownAccess] = await buyer.call(access.mine, {})
      await page.clock.setFixedTime(Date.parse(ownAccess?.promisedBy ?? '') + 3_600_000)
      await page.reload()
      await expect(accessCard(page)).toContainText(/We promised access by .* and are late/)
    })
  })

  test('shows the seller’s decision and lets the buyer ask again', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    const admin = await shop.admin()
    await requestAccess(buyer, 'ada_typo')
    const ids = [await findAccessId(admin, buyer.user.email)]
    await admin.call(accessAdmin.decline, { ids, reason: 'No such user.', subscription: 'keep' })

    await openPage(page, '/dashboard', buyer, shop)
    await expect(accessCard(page).getByText('declined', { exact: true })).toBeVisible()
    await expect(accessCard(page)).toContainText('We couldn’t unlock it: No such user.')

    await accessCard(page).getByRole('button', { name: 'Request Again' }).click()
    await fillAccessForm(page, 'ada_corrected')
    await accessForm(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(accessCard(page).getByText('requested', { exact: true })).toBeVisible()

    await admin.call(accessAdmin.grant, { ids })
    await page.reload()
    await expect(accessCard(page).getByText('unlocked', { exact: true })).toBeVisible()
    await expect(accessCard(page).getByRole('link', { name: /^Open the indicator/ })).toBeVisible()
    await shop.endUndoMinute()

    await accessCard(page).getByRole('button', { name: 'Change username' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'TradingView Username' }).fill('ada_moved')
    await page.getByRole('button', { name: 'Unlock this account' }).click()
    await expect(accessCard(page).getByRole('heading', { name: 'ada_moved' })).toBeVisible()
    await expect(accessCard(page)).toContainText('ada_corrected stays unlocked until the new one is.')

    await admin.call(accessAdmin.grant, { ids })
    await shop.endUndoMinute()
    await admin.call(accessAdmin.withhold, { ids })
    await page.reload()
    await expect(accessCard(page).getByText('removed', { exact: true })).toBeVisible()
    await expect(accessCard(page).getByRole('button', { name: 'Request Again' })).toBeVisible()
  })
})

test.describe('an owner', () => {
  test('finds links and instructions and copies or exports the Rebound List', async ({ page, shop, context }) => {
    const buyer = await shop.buyer()
    const admin = await shop.admin()
    // Other tests of the worker may have filled the list of the shared shop.
    const clearAssets = () => shop.connection.db.delete(recommendedAssets)

    await clearAssets()
    await openPage(page, '/dashboard', buyer, shop)
    await expect(assetList(page)).toContainText('No recommended assets yet. Check back soon.')

    const packageSection = page.getByRole('region', { name: 'Your Package' })
    const indicatorUrl = 'https://www.tradingview.com/scripts/'
    await expect(packageSection.getByRole('link', { name: /^Indicator/ })).toHaveAttribute('href', indicatorUrl)
    await expect(packageSection.getByRole('link', { name: /^Strategy/ })).toHaveAttribute('href', indicatorUrl)
    await expect(packageSection.getByRole('heading', { name: 'Quick Instructions' })).toBeVisible()
    await expect(packageSection.getByRole('heading', { name: 'Setup Notes' })).toBeVisible()
    const instructions = packageSection.getByRole('listitem').first()
    await expect(instructions).toBeVisible()

    const productId = reboundSigmaPro.id
    await admin.call(assetsAdmin.add, { productId, ticker: 'NASDAQ:AAPL', note: 'Quick to turn' })
    await admin.call(assetsAdmin.add, { productId, ticker: 'NYSE:BRK.B' })
    await page.reload()
    await expect(packageSection.getByRole('heading', { name: 'Setup Notes' })).toBeVisible()
    await expect(instructions).toBeHidden()

    const quickCard = page.getByRole('main').getByRole('button', { name: /Recommended Assets/ })
    await expect(quickCard).toContainText('2 symbols')
    await quickCard.click()
    await expect(assetList(page)).toBeFocused()
    await expect(assetList(page).getByRole('listitem')).toHaveText([/^NASDAQ:AAPLQuick to turn/, /^NYSE:BRK.B/])
    await expect(assetList(page)).toContainText(/last reviewed on/)

    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await assetList(page).getByRole('button', { name: 'Copy List' }).click()
    await expect(visibleToast(page)).toContainText('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('NASDAQ:AAPL,NYSE:BRK.B')

    const downloading = page.waitForEvent('download')
    await assetList(page).getByRole('button', { name: 'Export Watchlist' }).click()
    const file = await downloading
    expect(file.suggestedFilename()).toBe('rebound-list.txt')
    expect(readFileSync(await file.path(), 'utf8')).toBe('NASDAQ:AAPL,NYSE:BRK.B')

    await clearAssets()
  })
})

test('the welcome page leads to the setup guide with its six steps, which leads to the dashboard', async ({
  page,
  shop,
}) => {
  await openPage(page, '/welcome', await shop.user(), shop)
  const main = page.getByRole('main')
  await expect(main).toContainText('activated within 24 hours')
  await expect(main).toContainText(/email follows/)
  await expect(main.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard')

  await main.getByRole('link', { name: 'Setup Guide' }).click()
  await expect(page).toHaveURL('/setup-guide')
  await expect(main.getByRole('listitem').getByRole('heading')).toHaveText([
    'Access the tools',
    'Add the indicator to a daily chart',
    'Load the strategy for backtesting',
    'Review the Rebound List',
    'Observe the first signal',
    'Next steps',
  ])
  await expect(main).toContainText('Estimated time: 5 minutes')

  const support = shop.config.supportEmail
  await expect(main.getByRole('link', { name: support })).toHaveAttribute('href', `mailto:${support}`)
  await expect(main.getByRole('link', { name: 'Go to Dashboard' })).toHaveAttribute('href', '/dashboard')
  const backLink = main.getByRole('link', { name: 'Zurück zum Dashboard' })
  await expect(backLink).toHaveAttribute('lang', 'de')

  await test.step('"Loading..." is shown while the user loads', async () => {
    const release = await holdRequests(page, '**/api/user')
    await page.reload()
    await expect(page.getByText('Loading...', { exact: true })).toBeVisible()
    release()
    await expect(page.getByText('Loading...')).toBeHidden()
  })

  await backLink.click()
  await expect(page).toHaveURL('/dashboard')
})
