import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { assets } from '#contract/access/assets.ts'
import { recommendedAssets } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { findAccessId } from './admin-helpers.ts'
import { expect, expectAccessible, logInAs, test } from './shop.ts'
import { holdRequests } from './visitors.ts'

type Person = Awaited<ReturnType<TestShop['user']>>

async function open(page: Page, path: string, person: Person, shop: TestShop) {
  await logInAs(page, person, shop)
  await page.context().addCookies([{ name: 'bsl_cookie_consent', value: 'false', url: shop.url }])
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const card = (page: Page) => page.getByRole('region', { name: 'TradingView Access' })
const form = (page: Page) => page.getByRole('form', { name: 'TradingView Access Request' })
const list = (page: Page) => page.getByRole('region', { name: 'Recommended Assets' })
const toastIn = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')

async function fill(page: Page, username: string) {
  await form(page).getByLabel('Exchange Name').fill('Binance')
  await form(page).getByLabel('TradingView Username').fill(username)
  await form(page).getByLabel('Exchange API Key').fill('my api key')
  await form(page).getByLabel('Exchange Secret Key').fill('my secret key')
}

const ask = (buyer: Awaited<ReturnType<TestShop['buyer']>>, tradingViewUsername: string) =>
  buyer.call(access.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Binance',
    tradingViewUsername,
    apiKey: 'key',
    secretKey: 'secret',
  })

test.describe('TradingView access', () => {
  test('can be requested later by a buyer who skipped the form; says when it cannot be sent, and when we are late', async ({
    page,
    shop,
  }) => {
    const buyer = await shop.buyer()
    await open(page, '/dashboard', buyer, shop)
    await card(page).getByRole('button', { name: 'Request Access' }).click()
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

    await page.route('**/access-request', (route) =>
      route.fulfill({ status: 409, json: { message: 'This subscription has ended.' } }),
    )
    await form(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(toastIn(page)).toContainText('Submission failed')
    await expect(toastIn(page)).toContainText('This subscription has ended.')
    await expect(key).toHaveValue('my api key')

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
    await expect(card(page)).toContainText('ada_trades')
    await expect(card(page).getByText('requested', { exact: true })).toBeVisible()
    await expect(card(page)).toContainText(/We have your request and will email you by /)

    await test.step('and admits when we are late', async () => {
      const [mine] = await buyer.call(access.mine, {})
      await page.clock.setFixedTime(Date.parse(mine?.promisedBy ?? '') + 3_600_000)
      await page.reload()
      await expect(card(page)).toContainText(/We promised access by .* and are late/)
    })
  })

  test('shows what the seller decided and lets the buyer ask again', async ({ page, shop }) => {
    const [buyer, admin] = [await shop.buyer(), await shop.admin()]
    await ask(buyer, 'ada_typo')
    const ids = [await findAccessId(admin, buyer.user.email)]
    await admin.call(accessAdmin.decline, { ids, reason: 'No such user.', subscription: 'keep' })
    await open(page, '/dashboard', buyer, shop)
    await expect(card(page).getByText('declined', { exact: true })).toBeVisible()
    await expect(card(page)).toContainText('We couldn’t unlock it: No such user.')
    await card(page).getByRole('button', { name: 'Request Again' }).click()
    await fill(page, 'ada_corrected')
    await form(page).getByRole('button', { name: 'Submit Access Request' }).click()
    await expect(card(page).getByText('requested', { exact: true })).toBeVisible()

    await admin.call(accessAdmin.grant, { ids })
    await page.reload()
    await expect(card(page).getByText('unlocked', { exact: true })).toBeVisible()
    await expect(card(page).getByRole('link', { name: /^Open the indicator/ })).toBeVisible()
    await shop.afterUndo()

    await card(page).getByRole('button', { name: 'Change username' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'TradingView Username' }).fill('ada_moved')
    await page.getByRole('button', { name: 'Unlock this account' }).click()
    await expect(card(page).getByRole('heading', { name: 'ada_moved' })).toBeVisible()
    await expect(card(page)).toContainText('ada_corrected stays unlocked until the new one is.')

    await admin.call(accessAdmin.grant, { ids })
    await shop.afterUndo()
    await admin.call(accessAdmin.withhold, { ids })
    await page.reload()
    await expect(card(page).getByText('removed', { exact: true })).toBeVisible()
    await expect(card(page).getByRole('button', { name: 'Request Again' })).toBeVisible()
  })
})

test.describe('an owner', () => {
  test('finds links, instructions, and notes, sees the Rebound List, copies it, and exports it for TradingView', async ({
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
    const box = page.getByRole('region', { name: 'Your Package' })
    const indicatorUrl = 'https://www.tradingview.com/scripts/'
    const strategyUrl = indicatorUrl
    await expect(box.getByRole('link', { name: /^Indicator/ })).toHaveAttribute('href', indicatorUrl)
    await expect(box.getByRole('link', { name: /^Strategy/ })).toHaveAttribute('href', strategyUrl)
    await expect(box.getByRole('heading', { name: 'Quick Instructions' })).toBeVisible()
    await expect(box.getByRole('heading', { name: 'Setup Notes' })).toBeVisible()
    const instructions = box.getByRole('listitem').first()
    await expect(instructions).toBeVisible()

    const productId = reboundSigmaPro.id
    await admin.call(assets.adminAdd, { productId, ticker: 'NASDAQ:AAPL', note: 'Quick to turn' })
    await admin.call(assets.adminAdd, { productId, ticker: 'NYSE:BRK.B' })
    await page.reload()
    await expect(box.getByRole('heading', { name: 'Setup Notes' })).toBeVisible()
    await expect(instructions).toBeHidden()
    const quickCard = page.getByRole('main').getByRole('button', { name: /Recommended Assets/ })
    await expect(quickCard).toContainText('2 symbols')
    await quickCard.click()
    await expect(list(page)).toBeFocused()
    await expect(list(page).getByRole('listitem')).toHaveText([/^NASDAQ:AAPLQuick to turn/, /^NYSE:BRK.B/])
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

test('the welcome page says what happens next and leads to the setup guide, whose six steps take five minutes, and back', async ({
  page,
  shop,
}) => {
  await open(page, '/welcome', await shop.user(), shop)
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
  const back = main.getByRole('link', { name: 'Zurück zum Dashboard' })
  await expect(back).toHaveAttribute('lang', 'de')

  await test.step('"Loading..." is shown while the user loads', async () => {
    const release = await holdRequests(page, '**/api/user')
    await page.reload()
    await expect(page.getByText('Loading...', { exact: true })).toBeVisible()
    release()
    await expect(page.getByText('Loading...')).toBeHidden()
  })
  await back.click()
  await expect(page).toHaveURL('/dashboard')
})
