import { accessAdmin } from '#contract/access/access-admin.ts'
import { assets } from '#contract/access/assets.ts'
import { privatePackage } from '#contract/access/package.ts'
import { dialog, openAdmin } from './admin-helpers.ts'
import { expect, expectAccessible, logInAs, openShop, testWithShop } from './shop.ts'
import { declineCookies, fillCard, holdRequests } from './visitors.ts'

const productFile = `---
name: Trend Compass
state: on sale
order: 200
monthly: $19.50
quarterly: $54
yearly: $195
kind: Indicator for TradingView
description: An indicator that says where the trend points.
includes: indicator on TradingView
indicator: https://www.tradingview.com/script/compass
---

Where the trend points, on weekly charts.

## Card

Says where the trend points.

## Facts

- Chart: Weekly

## Key Benefits

Why it helps.

### One look

It takes a minute a week.

## How It Works

Two steps.

### It measures

The slope of the last weeks.

### It says so

In one arrow.

## What You Get

The indicator.

### The indicator

Unlocked for your username.

## Frequently Asked Questions

### Is it automatic?

No.

## Order

- The indicator

## Terms

- access to an invite-only indicator on TradingView.

## Setup Notes

- Use weekly charts.

## Quick Instructions

- Look at the arrow.
`

const test = testWithShop(() => openShop({ productFiles: { 'trend-compass.md': productFile } }))

test.describe.configure({ mode: 'default' })

test('a product from one file is shown, sold and unlocked, without access to the other product', async ({
  page,
  shop,
}) => {
  test.slow()
  await declineCookies(page, shop)
  const buyer = await shop.user()
  await logInAs(page, buyer, shop)
  expect(await (await fetch(new URL('/sitemap.xml', shop.url))).text()).toContain('/products/trend-compass')

  await page.goto('/products')
  await page
    .getByRole('main')
    .getByRole('link', { name: /Trend Compass/ })
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Trend Compass')
  await expect(page).toHaveTitle(/Trend Compass/)
  await expectAccessible(page)

  await page.goto('/')
  await page.goto('/products/trend-compass#pricing')
  await expect(page.getByText('Where the trend points, on weekly charts.')).toBeVisible()

  await page.getByRole('link', { name: 'Buy Quarterly - $54' }).click()
  await expect(page.getByRole('navigation', { name: 'Billing' }).getByRole('link')).toHaveText([
    'Monthly',
    'Quarterly',
    'Yearly2 months free',
  ])
  await expect(page.getByText('Renews every quarter at $54.00').filter({ visible: true }).first()).toBeVisible()
  await expect(page.getByRole('main').getByText('Trend Compass').filter({ visible: true })).toBeVisible()

  await page.getByRole('button', { name: 'Continue to Payment' }).click()

  await fillCard(page, '4242 4242 4242 4242')
  await page.getByRole('button', { name: /^Pay \$54/ }).click()
  await page.getByRole('heading', { name: 'Payment Successful!' }).waitFor()

  await page.getByLabel('TradingView Username').fill('compass_reader')
  await page.getByLabel('Exchange Name').fill('Exchange')
  await page.getByLabel('Exchange API Key').fill('key')
  await page.getByLabel('Exchange Secret Key').fill('secret')
  await page.getByRole('button', { name: 'Submit Access Request' }).click()
  await expect(page.getByText('Access request submitted!').first()).toBeVisible()

  const admin = await shop.admin()
  const [openRequest] = await admin.call(accessAdmin.todo, {})
  await admin.call(accessAdmin.grant, { ids: [openRequest?.id ?? ''] })
  await shop.endUndoMinute()
  const mail = (await shop.mails()).find(({ subject }) => subject === 'Your TradingView access is ready')
  expect(mail?.text).toContain('Trend Compass is unlocked for your TradingView account')

  await page.goto('/dashboard')
  await expect(page.getByText('Use weekly charts.')).toBeVisible()
  await expect(page.getByText('Recommended Assets')).toHaveCount(0)

  const ownPackage = await buyer.call(privatePackage.show, { product: 'trend-compass' })
  expect(ownPackage.indicatorUrl).toBe('https://www.tradingview.com/script/compass')
  await expect(buyer.call(privatePackage.show, {})).rejects.toMatchObject({ status: 403 })
  await expect(buyer.call(assets.list, {})).rejects.toMatchObject({ status: 403 })

  const order = await shop.begin(buyer)
  expect(order.clientSecret).toBeTruthy()
})

test('after a payment, the page waits for its purchase, and never offers the form of another one', async ({
  page,
  shop,
}) => {
  const buyer = await shop.user()
  await shop.buy(buyer, { tradingViewUsername: 'first_name' })
  const begun = await shop.begin(buyer, { product: 'trend-compass' })
  await shop.pay(begun)
  await declineCookies(page, shop)
  await logInAs(page, buyer, shop)
  const release = await holdRequests(page, '**/api/purchases')
  const accessAnswered = page.waitForResponse('**/api/access')
  await page.goto(`/checkout/success?payment_intent=${begun.paymentIntentId}`)
  await accessAnswered
  await expect(page.getByText('first_name')).toBeHidden()
  release()
  await expect(page.getByText('Trend Compass, monthly')).toBeVisible()
  await page.unrouteAll()

  await page.route('**/api/purchases', (route) => route.abort())
  await page.goto(`/checkout/success?payment_intent=${begun.paymentIntentId}`)
  await expect(page.getByRole('form', { name: 'TradingView Access Request' })).toBeVisible()
  await expect(page.getByText('first_name')).toBeHidden()
})

test('an import asks for unknown columns and products once and remembers the choice', async ({ page, shop }) => {
  await openAdmin(page, shop, '/admin/users?open=import')
  const upload = (email: string) =>
    page
      .getByLabel('Choose a CSV file')
      .setInputFiles({
        name: 'members.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`Member,Tier,Renewal\n${email},annual,2099-12-31`),
      })
  await upload('ada@example.com')

  await dialog(page).getByLabel('Email').selectOption('Member')
  await dialog(page).getByLabel('Plan').selectOption('Tier')
  await dialog(page).getByLabel('Paid until').selectOption('Renewal')

  const continueButton = dialog(page).getByRole('button', { name: 'Continue' })
  await expect(continueButton).toBeDisabled()
  await dialog(page).getByLabel('Product').selectOption('Trend Compass for everyone')
  await expectAccessible(page)
  await continueButton.click()
  await expect(dialog(page).getByText('trend-compass, annual, until December 31, 2099')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Import 1 subscriber' }).click()
  await dialog(page).getByRole('button', { name: 'Done' }).click()

  await page.goto('/admin/users?open=import')
  await upload('ada@example.com')
  await expect(dialog(page).getByText('already there', { exact: true })).toBeVisible()
})
