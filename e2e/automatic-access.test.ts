import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accessPromise } from '#contract/access/promise.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { chooseFromMenu, confirmDialog, dialog, expectAccessibleAndFitting, rowOf } from './admin-helpers.ts'
import {
  expectAccessPromise,
  expectPaymentSummary,
  expectReceipt,
  main,
  payThroughApi,
  skipAccessRequest,
} from './after-paying-helpers.ts'
import { expect, expectAccessible, logInAs, testWithConnectedShop as test } from './shop.ts'
import { payAsGuest, waitUntilPagesShowConnection } from './visitors.ts'

test.describe.configure({ mode: 'default' })

const accessCard = (page: Page) => page.getByRole('region', { name: 'TradingView Access' })

test('a guest enters a username at the checkout and sees it unlocked after the payment', async ({ page, shop }) => {
  const email = `e2e-${randomUUID()}@example.com`
  const username = page.getByLabel('TradingView Username (optional)')

  await waitUntilPagesShowConnection(shop)
  await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
  await username.fill('ada_trade')
  await username.blur()
  await expect(page.getByText('We can’t find ada_trade on TradingView')).toBeVisible()
  await page.getByRole('button', { name: 'ada_trades' }).click()
  await expect(page.getByText('Found on TradingView: ada_trades')).toBeVisible()

  await payAsGuest(page, email, 'ada_trades')
  const form = page.getByRole('form', { name: 'TradingView Access Request' })

  await expect(page.getByText(/^Unlocked in \d+ s$/)).toBeVisible({ timeout: 10_000 })
  await expect(page.getByText('Already unlocked. Nothing more is needed.')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Open the indicator/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Skip for Now' })).toBeVisible()
  await expect(form).toBeHidden()
  await expectAccessible(page)

  await page.getByText('Add to your request').click()
  await expect(form.getByLabel('TradingView Username')).toHaveValue('ada_trades')
  await form.getByLabel('Exchange Name').fill('Kraken')
  await form.getByLabel('Exchange API Key').fill('key')
  await form.getByLabel('Exchange Secret Key').fill('secret')
  await form.getByRole('button', { name: 'Submit Access Request' }).click()

  await expect(page.getByText('Access request submitted!', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/welcome')
  await expect(page.getByRole('heading', { name: 'ada_trades is unlocked' })).toBeVisible()
  await page
    .getByRole('main')
    .getByRole('link', { name: /Dashboard/ })
    .click()

  await expect(accessCard(page).getByText(/Unlocked. Your subscription renews on/)).toBeVisible()
  await expect(accessCard(page).getByRole('link', { name: /^Open the indicator/ })).toBeVisible()
  await expectAccessible(page)
  expect(await shop.listed()).toContain('ada_trades')
  // The receipt also contains the password link and the state of the access.
  const mails = (await shop.mails()).filter(({ to }) => to === email)
  expect(mails.map(({ subject }) => subject)).toEqual(['Your receipt: Rebound Sigma Pro'])
  expect(mails[0]?.text).toContain('We unlock it for ada_trades on TradingView right after the payment')
  expect(mails[0]?.text).toMatch(/Set your password:\n\S+first=1&token=/)

  await page.getByRole('button', { name: 'Cancel Subscription' }).click()
  await confirmDialog(page).getByRole('button', { name: 'Cancel Subscription' }).click()
  await expect(accessCard(page).getByText(/Unlocked until/)).toBeVisible()
  await page.getByRole('button', { name: 'Changed your mind? Undo it.' }).click()
  await expect(accessCard(page).getByText(/Your subscription renews on/)).toBeVisible()
})

// These tests are here, and not with the other purchases of guests, because a connected shop takes long to open.
test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 800 } })
  const sentence = accessPromise({ unlocksItself: true })

  test('a new guest reads the same access promise from the product to the dashboard', async ({ page, shop }) => {
    const email = `e2e-${randomUUID()}@example.com`
    await waitUntilPagesShowConnection(shop)
    await expectAccessPromise(page, sentence, 'Usually unlocked within minutes of your payment')
    await payThroughApi(page, shop, email)
    await expectPaymentSummary(page, email)

    await expect(page.getByText('One step left: give us your TradingView username.')).toBeVisible()
    await expect(main(page)).toContainText(`Add your TradingView username. ${sentence}`)
    await expectAccessible(page)
    await skipAccessRequest(page)
    await expect(main(page)).toContainText(sentence)
    await page.goto('/welcome')
    await expect(main(page)).toContainText(sentence)
    await expectReceipt(shop, email, sentence)
  })

  test('a guest with a confirmed account logs in after the payment and returns to the purchase', async ({
    page,
    shop,
  }) => {
    const owner = await shop.verifiedUser()
    const { email } = owner.user
    const username = `back_${randomUUID().slice(0, 6)}`
    await payThroughApi(page, shop, email, username)
    await expectPaymentSummary(page, email)
    await expect(page.getByRole('heading', { name: 'One step left: log in' })).toBeVisible()
    await expectAccessible(page)

    await main(page).getByRole('link', { name: 'Log In' }).click()
    const login = page.getByRole('form', { name: 'Login' })
    await login.getByLabel('Email').fill(email)
    await login.getByLabel('Password', { exact: true }).fill(owner.password)
    await login.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page).toHaveURL('/checkout/success')
    await expectPaymentSummary(page, email)

    // The guest was not logged in, so the owner confirms the username with one click.
    await expect(page.getByRole('textbox', { name: 'TradingView Username' })).toHaveValue(username)
    await skipAccessRequest(page)
  })
})

test('a buyer moves the access to another username, and a refund locks it', async ({ page, shop }) => {
  const buyer = await shop.namedBuyer('first_of_two')
  await shop.settle()
  await logInAs(page, buyer, shop)
  await page.goto('/dashboard')
  await expect(accessCard(page).getByRole('heading', { name: 'first_of_two' })).toBeVisible()

  await page.getByRole('button', { name: /^Profile/ }).click()
  await dialog(page).getByLabel('TradingView Username').fill('second_of_two')

  await dialog(page).getByRole('button', { name: 'Save Changes' }).click()
  await expect(confirmDialog(page)).toContainText('Move your access to second_of_two?')
  await expectAccessible(page)

  await confirmDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page).getByLabel('TradingView Username')).toHaveValue('second_of_two')
  expect(await shop.listed()).toContain('first_of_two')
  await dialog(page).getByRole('button', { name: 'Save Changes' }).click()

  await confirmDialog(page).getByRole('button', { name: 'Move access' }).click()
  await expect(accessCard(page).getByRole('heading', { name: 'second_of_two' })).toBeVisible()
  await expect(accessCard(page).getByText(/Unlocked. Your subscription renews on/)).toBeVisible()
  await expect(accessCard(page).getByText(/You can change the username again on/)).toBeVisible()
  await expect.poll(() => shop.listed()).not.toContain('first_of_two')

  const admin = await shop.admin()
  await admin.call(purchasesAdmin.refund, { id: buyer.purchase.id, refundedSoFar: 0 })
  await expect.poll(() => shop.listed()).not.toContain('second_of_two')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'second_of_two' })).toHaveCount(0)
})

test('buyers who waited during an ended session are unlocked once the seller reconnects', async ({ page, shop }) => {
  const { controls } = shop.tradingViewStandIn
  await controls.endSession()
  const buyer = await shop.namedBuyer('waits_for_seller')
  await shop.settle()

  await logInAs(page, await shop.admin(), shop)
  await page.goto('/admin/access')
  await expect(page.getByText('Your TradingView session has ended. Buyers have to wait')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Open connection' }).click()
  await controls.logIn()
  await page.getByRole('button', { name: 'Reconnect' }).click()
  await page.getByLabel('Session cookies').fill(await controls.cookies())
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText(/Connected as/)).toBeVisible()

  await shop.queue.runNow('tradingview-due')
  await expect.poll(async () => (await shop.accessOf(buyer)).state).toBe('unlocked')
})

test('the seller sees how many people a mode adds and removes before switching to it', async ({ page, shop }) => {
  const buyer = await shop.namedBuyer()
  await shop.settle()
  const admin = await shop.admin()
  await admin.call(tradingViewAdmin.settings, { mode: 'grant' })
  await logInAs(page, admin, shop)
  await page.goto('/admin/access/connection')
  await expect(page.getByRole('heading', { name: 'Connection', level: 1 })).toBeVisible()
  await expectAccessibleAndFitting(page)

  const fullMode = page.getByRole('radio', { name: /^Add and remove people/ })
  await fullMode.click()
  await expect(confirmDialog(page)).toContainText(
    /(\d+ (person|people)|No one) will be added\. (\d+ (person|people)|No one) will be removed/,
  )
  await confirmDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(fullMode).not.toBeChecked()
  await fullMode.click()
  await confirmDialog(page).getByRole('button', { name: 'Switch' }).click()
  await expect(fullMode).toBeChecked()

  await page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: 'People' }).click()
  await page.getByRole('searchbox').fill(buyer.username)
  const row = rowOf(page, buyer.username)
  await expect(row).toContainText('unlocked')
  await chooseFromMenu(row, 'History and details')
  await expect(dialog(page).getByRole('list', { name: 'History' })).toContainText('Access unlocked')
})
