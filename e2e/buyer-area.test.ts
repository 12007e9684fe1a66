import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { accessRequests } from '#contract/access/access-requests.ts'
import { assets } from '#contract/access/assets.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { recommendedAssets } from '#server/database/schema.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, logInAs, test } from './shop.ts'

type Person = Awaited<ReturnType<TestShop['user']>>

async function open(page: Page, path: string, person: Person, shop: TestShop) {
  await logInAs(page, person, shop)
  await page.context().addCookies([{ name: 'bsl_cookie_consent', value: 'false', url: shop.url }])
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const access = (page: Page) => page.getByRole('region', { name: 'TradingView Access' })
const form = (page: Page) => page.getByRole('form', { name: 'TradingView Access Request' })
const list = (page: Page) => page.getByRole('region', { name: 'Recommended Assets' })
const toastIn = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')

async function fill(page: Page, username: string) {
  await form(page).getByLabel('Exchange Name').fill('Binance')
  await form(page).getByLabel('TradingView Username').fill(username)
  await form(page).getByLabel('Exchange API Key').fill('my api key')
  await form(page).getByLabel('Exchange Secret Key').fill('my secret key')
}

test.describe('TradingView access', () => {
  test('can be requested later by a buyer who skipped the form', async ({ page, shop }) => {
    await open(page, '/dashboard', await shop.buyer(), shop)
    await access(page).getByRole('button', { name: 'Request Access' }).click()
    await form(page).getByRole('button', { name: 'Submit Access Request' }).click()
    for (const text of [
      'Exchange name is required',
      'TradingView username is required',
      'API key is required',
      'Secret key is required',
    ])
      await expect(form(page).getByText(text, { exact: true })).toBeVisible()
    await expect(form(page).getByLabel('Exchange Name')).toBeFocused()
    await expectAccessible(page)

    await fill(page, 'ada_trades')
    const key = form(page).getByLabel('Exchange API Key')
    await expect(key).toHaveAttribute('type', 'password')
    await form(page).getByRole('button', { name: 'Show API key' }).click()
    await expect(key).toHaveAttribute('type', 'text')

    let answer = () => {}
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/access-request', async (route) => {
      await mayAnswer
      await route.continue()
    })
    await form(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(form(page).getByRole('button', { name: 'Submitting...' })).toBeDisabled()
    answer()
    await expect(toastIn(page)).toContainText('Access request submitted!')
    await expect(toastIn(page)).toContainText("We'll send your TradingView access within 24 hours.")
    await expect(form(page)).toBeHidden()
    await expect(access(page)).toContainText('ada_trades')
    await expect(access(page).getByText('requested', { exact: true })).toBeVisible()
    await expect(access(page)).toContainText(/Promised by .*Submitted on/)
  })

  test('says when the request cannot be sent', async ({ page, shop }) => {
    await open(page, '/dashboard', await shop.buyer(), shop)
    await access(page).getByRole('button', { name: 'Request Access' }).click()
    await fill(page, 'ada_trades')
    await page.route('**/access-request', (route) =>
      route.fulfill({ status: 409, json: { message: 'This subscription has ended.' } }),
    )
    await form(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(toastIn(page)).toContainText('Submission failed')
    await expect(toastIn(page)).toContainText('This subscription has ended.')
    await expect(form(page).getByLabel('Exchange API Key')).toHaveValue('my api key')
  })

  test('shows what the seller decided and lets the buyer ask again', async ({ page, shop }) => {
    const [buyer, admin] = [await shop.buyer(), await shop.admin()]
    const ask = (tradingViewUsername: string) =>
      buyer.call(accessRequests.submitForPurchase, {
        purchaseId: buyer.purchase.id,
        exchangeName: 'Binance',
        tradingViewUsername,
        apiKey: 'key',
        secretKey: 'secret',
      })
    const latest = async () => (await buyer.call(accessRequests.list, {})).map(({ id }) => id)

    await ask('ada_typo')
    await admin.call(accessRequests.adminRefuse, { ids: await latest(), reason: 'No such user.' })
    await open(page, '/dashboard', buyer, shop)
    await expect(access(page).getByText('refused', { exact: true })).toBeVisible()
    await expect(access(page)).toContainText('We couldn’t grant it: No such user.')
    await expect(access(page).getByRole('button', { name: 'Request Again' })).toBeVisible()

    await ask('ada_trades')
    await admin.call(accessRequests.adminGrant, { ids: await latest() })
    await page.reload()
    await expect(access(page).getByText('granted', { exact: true })).toBeVisible()
    await expect(access(page).getByRole('button')).toHaveCount(0)

    await buyer.call(accounts.updateProfile, { name: 'Ada', tradingViewUsername: 'ada_moved' })
    await page.reload()
    await expect(access(page)).toContainText('Your profile now says ada_moved.')
    await access(page).getByRole('button', { name: 'Request Again' }).click()
    await expect(form(page).getByLabel('TradingView Username')).toHaveValue('ada_moved')
    await form(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(form(page)).toBeHidden()

    await admin.call(accessRequests.adminRevoke, { ids: await latest() })
    await page.reload()
    await expect(access(page).getByText('revoked', { exact: true })).toBeVisible()
  })

  test('admits when we are late', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    await buyer.call(accessRequests.submitForPurchase, {
      purchaseId: buyer.purchase.id,
      exchangeName: 'Binance',
      tradingViewUsername: 'ada_waits',
      apiKey: 'key',
      secretKey: 'secret',
    })
    const [request] = await buyer.call(accessRequests.list, {})
    await page.clock.setFixedTime(Date.parse(request?.promisedBy ?? '') + 3_600_000)
    await open(page, '/dashboard', buyer, shop)
    await expect(access(page)).toContainText(/We promised access by .* and are late/)
  })
})

test.describe('an owner', () => {
  test('finds links, instructions, and notes', async ({ page, shop }) => {
    await open(page, '/dashboard', await shop.buyer(), shop)
    const box = page.getByRole('region', { name: 'Your Package' })
    const { indicatorUrl, strategyUrl } = shop.config.package
    await expect(box.getByRole('link', { name: /^Indicator/ })).toHaveAttribute('href', indicatorUrl)
    await expect(box.getByRole('link', { name: /^Strategy/ })).toHaveAttribute('href', strategyUrl)
    await expect(box.getByRole('heading', { name: 'Quick Instructions' })).toBeVisible()
    await expect(box.getByRole('heading', { name: 'Setup Notes' })).toBeVisible()
  })

  test('sees the Rebound List, copies it, and exports it for TradingView', async ({
    page,
    shop,
    context,
  }) => {
    const [buyer, admin] = [await shop.buyer(), await shop.admin()]
    // Tests in one worker share a shop.
    const emptyTheList = () => shop.connection.db.delete(recommendedAssets)
    await emptyTheList()
    await open(page, '/dashboard', buyer, shop)
    await expect(list(page)).toContainText('No recommended assets yet. Check back soon.')

    const productId = reboundSigmaPro.id
    await admin.call(assets.adminAdd, { productId, ticker: 'NASDAQ:AAPL', note: 'Quick to turn' })
    await admin.call(assets.adminAdd, { productId, ticker: 'NYSE:BRK.B' })
    await page.reload()
    const card = page.getByRole('main').getByRole('button', { name: /Recommended Assets/ })
    await expect(card).toContainText('2 symbols')
    await card.click()
    await expect(list(page)).toBeFocused()
    await expect(list(page).getByRole('listitem')).toHaveText(['NASDAQ:AAPLQuick to turn', 'NYSE:BRK.B'])
    await expect(list(page)).toContainText(/last reviewed on/)

    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await list(page).getByRole('button', { name: 'Copy List' }).click()
    await expect(toastIn(page)).toContainText('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('NASDAQ:AAPL,NYSE:BRK.B')

    const downloading = page.waitForEvent('download')
    await list(page).getByRole('button', { name: 'Export Watchlist' }).click()
    const file = await downloading
    expect(file.suggestedFilename()).toBe('rebound-list.txt')
    expect(readFileSync(await file.path(), 'utf8')).toBe('NASDAQ:AAPL,NYSE:BRK.B')
    await emptyTheList()
  })
})

test.describe('the welcome page', () => {
  test('says what happens next and where to go', async ({ page, shop }) => {
    await open(page, '/welcome', await shop.user(), shop)
    const main = page.getByRole('main')
    await expect(main).toContainText('activated within 24 hours')
    await expect(main).toContainText(/email follows/)
    await main.getByRole('link', { name: 'Setup Guide' }).click()
    await expect(page).toHaveURL('/setup-guide')
    await page.goBack()
    await main.getByRole('link', { name: 'Dashboard' }).click()
    await expect(page).toHaveURL('/dashboard')
  })
})

test.describe('the setup guide', () => {
  test('has six steps, takes five minutes, and links to the dashboard and support', async ({
    page,
    shop,
  }) => {
    await open(page, '/setup-guide', await shop.user(), shop)
    const main = page.getByRole('main')
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
    const back = main.getByRole('link', { name: 'Zurück zum Dashboard' })
    await expect(back).toHaveAttribute('lang', 'de')
    await back.click()
    await expect(page).toHaveURL('/dashboard')
  })
})

for (const path of ['/welcome', '/setup-guide'])
  test(`${path} sends logged-out visitors to log in`, async ({ page }) => {
    await page.goto(path)
    await expect(page).toHaveURL('/auth')
  })
