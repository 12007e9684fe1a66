import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, expectAccessibleInBothThemes, logInAs, overflowOf, test } from './shop.ts'
import { declineCookies, fillCard } from './visitors.ts'

type TestUser = Awaited<ReturnType<TestShop['user']>>

async function openDashboard(page: Page, user: TestUser, shop: TestShop) {
  await logInAs(page, user, shop)
  await declineCookies(page, shop)
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const region = (page: Page, name: string) => page.getByRole('region', { name })
const quickCard = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name })
const products = (page: Page) => region(page, 'My Products').getByRole('listitem')
const visibleToast = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')
const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000)

test('a newcomer is greeted by name and can retry when the products fail to load', async ({ page, shop }) => {
  const newcomer = await shop.user({ name: 'Grace Hopper' })
  const responseReleased = Promise.withResolvers<void>()
  await page.route('**/api/purchases', async (route) => {
    await responseReleased.promise
    await route.fulfill({ status: 500, json: { message: 'Broken' } })
  })

  await openDashboard(page, newcomer, shop)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome Back, Grace Hopper')
  await expect(page.getByLabel('Loading your products')).toBeVisible()

  responseReleased.resolve()
  await expect(page.getByText('We couldn’t load your products.')).toBeVisible()
  await page.unroute('**/api/purchases')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(region(page, 'My Products').getByText('No products yet')).toBeVisible()

  await region(page, 'My Products').getByRole('link', { name: 'Browse Products' }).click()
  await expect(page).toHaveURL('/products')

  await newcomer.call(accounts.updateProfile, { name: '' })
  await bookPurchase(shop.connection, newcomer.user.id, { status: 'expired' })
  await openDashboard(page, newcomer, shop)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome Back, Trader')
  await expect(products(page)).toHaveCount(1)
  await expect(page.getByText('Recommended Assets')).toHaveCount(0)
  await expect(page.getByText('Your Package')).toHaveCount(0)
})

test.describe('my products', () => {
  test('show five purchases with their badges, prices, dates and buttons on one screen', async ({ page, shop }) => {
    const buyer = await shop.user()
    const book = (values: Parameters<typeof bookPurchase>[2]) => bookPurchase(shop.connection, buyer.user.id, values)
    await book({ status: 'active', createdAt: daysFromNow(-1), currentPeriodEnd: daysFromNow(29) })
    await book({
      status: 'pending_cancel',
      billingType: 'yearly',
      createdAt: daysFromNow(-2),
      currentPeriodEnd: daysFromNow(363),
      endsAt: daysFromNow(363),
    })
    await book({ status: 'past_due', createdAt: daysFromNow(-40), pastDueSince: daysFromNow(-3) })
    await book({
      status: 'cancelled',
      createdAt: daysFromNow(-50),
      endedAt: daysFromNow(-20),
      endedBecause: 'cancelled',
    })
    await book({
      status: 'expired',
      billingType: 'yearly',
      createdAt: daysFromNow(-400),
      endedAt: daysFromNow(-35),
      endedBecause: 'unpaid',
    })

    await openDashboard(page, buyer, shop)
    await expect(quickCard(page, 'My Products')).toContainText('5 total, 3 active subscriptions')

    const expectedRows = [
      { badge: 'active', plan: 'monthly', price: '$39/month', text: /renews on/, button: 'Cancel Subscription' },
      {
        badge: 'Cancels at period end',
        plan: 'yearly',
        price: '$390/year',
        text: /ends on/,
        button: 'Resume Subscription',
      },
      {
        badge: 'past due',
        plan: 'monthly',
        price: '$39/month',
        text: /Payment failed. Please update your card/,
        button: 'Update Card',
      },
      { badge: 'cancelled', plan: 'monthly', price: '$39/month', text: /ended on .* It was cancelled/ },
      { badge: 'expired', plan: 'yearly', price: '$390/year', text: /ended on .* The renewal was not paid/ },
    ]
    await expect(products(page)).toHaveCount(expectedRows.length)
    for (const [index, { badge, plan, price, text, button }] of expectedRows.entries()) {
      const row = products(page).nth(index)
      await expect(row.getByRole('heading')).toHaveText('Rebound Sigma Pro')
      await expect(row.getByText(badge, { exact: true })).toBeVisible()
      await expect(row.getByText(`${plan} subscription`, { exact: true })).toBeVisible()
      await expect(row.getByText(price, { exact: true })).toBeVisible()
      await expect(row).toContainText(text)
      await expect(row.getByRole('button', { name: 'Download Invoice' })).toBeVisible()
      const canCancel = badge === 'active' || badge === 'past due'
      await expect(row.getByRole('button', { name: 'Cancel Subscription' })).toHaveCount(canCancel ? 1 : 0)
      if (button) await expect(row.getByRole('button', { name: button })).toBeVisible()
    }

    await products(page).first().scrollIntoViewIfNeeded()
    await page.setViewportSize({ width: 1280, height: 1000 })
    await quickCard(page, 'My Products').click()
    await expect(region(page, 'My Products')).toBeFocused()
    await expect(products(page).first()).toBeInViewport({ ratio: 1 })
    await expect(products(page).last()).toBeInViewport({ ratio: 1 })
  })

  test('are cancelled after a confirmation, with an optional reason, and can be resumed', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    await openDashboard(page, buyer, shop)
    await expect(quickCard(page, 'My Products')).toContainText('1 active subscriptions')
    const row = products(page).first()
    await row.getByRole('button', { name: 'Cancel Subscription' }).click()
    const confirmation = page.getByRole('alertdialog')
    await expect(confirmation).toContainText(
      'Are you sure you want to cancel your subscription? You will retain access until the end of your billing period.',
    )

    await confirmation.getByRole('button', { name: 'Keep Subscription' }).click()
    await expect(row.getByText('active', { exact: true })).toBeVisible()

    await row.getByRole('button', { name: 'Cancel Subscription' }).click()
    await confirmation.getByRole('button', { name: 'Cancel Subscription' }).click()
    await expect(visibleToast(page)).toContainText('Subscription will be cancelled')
    await expect(row.getByText('Cancels at period end', { exact: true })).toBeVisible()
    await expect(row).toContainText(/ends on/)

    const reasonDialog = page.getByRole('dialog', { name: 'Your subscription is cancelled' })
    await expect(reasonDialog.getByRole('radio')).toHaveCount(8)
    await expectAccessible(page)

    await reasonDialog.getByRole('radio', { name: 'I don’t use it enough' }).check()
    await reasonDialog.getByLabel('Anything to add? (optional)').fill('Too busy this year')
    await reasonDialog.getByRole('button', { name: 'Send' }).click()
    await expect(reasonDialog).toBeHidden()

    await row.getByRole('button', { name: 'Resume Subscription' }).click()
    await expect(row.getByText('active', { exact: true })).toBeVisible()
    await row.getByRole('button', { name: 'Cancel Subscription' }).click()
    await confirmation.getByRole('button', { name: 'Cancel Subscription' }).click()
    await reasonDialog.getByRole('button', { name: 'Skip' }).click()
    await expect(row.getByText('Cancels at period end', { exact: true })).toBeVisible()
  })

  test('show six of 103 purchases at first, and more on request', async ({ page, shop }) => {
    const buyer = await shop.user()
    for (let count = 0; count < 103; count++)
      await bookPurchase(shop.connection, buyer.user.id, {
        status: count === 0 ? 'active' : 'expired',
        createdAt: daysFromNow(-count - 1),
      })
    await openDashboard(page, buyer, shop)
    await expect(quickCard(page, 'My Products')).toContainText('100+')
    await expect(products(page)).toHaveCount(6)

    const moreButton = region(page, 'My Products').getByRole('button', { name: 'Show more' })
    await moreButton.click()
    await expect(products(page)).toHaveCount(100)
    await moreButton.click()
    await expect(products(page)).toHaveCount(103)
    await expect(moreButton).toBeHidden()
    await expect(products(page).first().getByText('active', { exact: true })).toBeVisible()
  })
})

test.describe('invoices', () => {
  test('the link in a receipt opens its invoice once without a login', async ({ page, shop }) => {
    await shop.stopBilling()
    const buyer = await shop.buyer()
    await shop.advance(1, 'month')
    const { email } = buyer.user
    const receiptLinks = (await shop.mails())
      .filter(({ to, subject }) => to === email && subject.startsWith('Your receipt'))
      .map(({ text }) => /https?:\S+\/invoice\?purchase=[^\s)]+/.exec(text)?.[0] ?? '')
    await buyer.call(accounts.login, { email, password: buyer.password })

    const invoiceUrls: string[] = []
    for (const { id: document } of await buyer.call(purchases.invoices, { id: buyer.purchase.id }))
      invoiceUrls.push((await buyer.call(purchases.document, { document })).viewUrl ?? '')
    const [renewalUrl = '', firstUrl = ''] = invoiceUrls

    const openButton = page.getByRole('button', { name: 'Open the invoice' })

    await page.goto(receiptLinks[1] ?? '')
    await openButton.click()
    await expect(page).toHaveURL(renewalUrl)

    await page.goto(receiptLinks[1] ?? '')
    await openButton.click()
    await expect(page.getByRole('alert')).toContainText('This link has been used or has expired.')

    // The link in the first receipt has expired after a month, so the buyer has to log in.
    await page.goto(receiptLinks[0] ?? '')
    await openButton.click()
    await expect(page.getByRole('alert')).toContainText('This link has been used or has expired.')
    await page.getByRole('link', { name: 'Go to your dashboard' }).click()
    await page.getByLabel('Email', { exact: true }).first().fill(email)
    await page.getByLabel('Password', { exact: true }).fill(buyer.password)
    await page.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page).toHaveURL(firstUrl)
  })

  test('the latest invoice opens in a new tab, and a dialog lists all invoices', async ({ page, shop, context }) => {
    await openDashboard(page, await shop.buyer({ billing: 'yearly' }), shop)
    const latestInvoice = context.waitForEvent('page')
    await products(page).first().getByRole('button', { name: 'Download Invoice' }).click()
    await expect(await latestInvoice).toHaveURL(/invoice/)
    await expect((await latestInvoice).getByText('$390.00').first()).toBeVisible()
    await (await latestInvoice).close()

    await products(page)
      .first()
      .getByRole('button', { name: /^Manage/ })
      .click()
    await page.getByRole('menuitem', { name: 'All Invoices' }).click()
    const invoice = page.getByRole('dialog', { name: 'Invoices' }).getByRole('listitem')
    await expect(invoice).toHaveCount(1)
    await expect(invoice.getByRole('time')).toBeVisible()
    await expect(invoice).toContainText('$390.00')
    await expect(invoice.getByText('paid', { exact: true })).toBeVisible()

    const openedInvoice = context.waitForEvent('page')
    await invoice.getByRole('button', { name: 'Open' }).click()
    await expect((await openedInvoice).getByText('$390.00').first()).toBeVisible()
    await expect(invoice.getByRole('button', { name: 'PDF' })).toBeVisible()
  })
})

test('a failed renewal is paid with another card', async ({ page, shop }) => {
  await shop.stopBilling()
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await shop.advance(1, 'month')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await openDashboard(page, buyer, shop)
  const row = products(page).first()
  await expect(row).toContainText(/Payment failed. Please update your card. You keep access until/)
  await expect(page.getByRole('region', { name: 'Failed payment' })).toContainText('$39.00')

  await row.getByRole('button', { name: 'Update Card' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(/Now: Visa ending in 0341, expires \d\d\/\d\d/)

  const payWithCard = async (card: string) => {
    await fillCard(page, card)
    await dialog.getByRole('button', { name: 'Pay $39.00 and save card' }).click()
  }

  await payWithCard('4000 0000 0000 0341')
  await expect(dialog.getByRole('alert')).toHaveText(
    'Your bank declined this card. Use another card, or ask your bank. Your card on file stays the same.',
  )

  // Without an answer, nobody knows which card is on file.
  const finishCall = '**/api/purchases/*/card/confirm'
  await page.route(finishCall, (route) => route.abort(), { times: 1 })
  await payWithCard('4242 4242 4242 4242')
  await expect(dialog.getByRole('alert')).toHaveText(
    'We couldn’t reach the server. Please check your connection and try again.',
  )

  await payWithCard('4242 4242 4242 4242')
  await expect(visibleToast(page)).toContainText('Card updated')
  await expect(row.getByText('active', { exact: true })).toBeVisible()
  await expect(row).toContainText('Visa ending in 4242, expires 12/34')
})

test('a renewal that needs 3-D Secure is confirmed with the same card', async ({ page, shop }) => {
  await shop.stopBilling()
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntentId = await shop.storeCard(clientSecret, 'pm_card_authenticationRequired')
  await shop.sandbox.controls.authenticate(setupIntentId, 'complete')
  await buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
  await shop.advance(1, 'month')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await openDashboard(page, buyer, shop)

  const failedPayment = page.getByRole('region', { name: 'Failed payment' })
  await expect(failedPayment).toContainText('Your card is fine.')

  await failedPayment.getByRole('button', { name: 'Confirm with your bank' }).click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(products(page).first().getByText('active', { exact: true })).toBeVisible()
  await expect(failedPayment).toBeHidden()
})

test('a switch to yearly is declined, fails 3-D Secure, and then charges the amount on the button', async ({
  page,
  shop,
}) => {
  await shop.stopBilling()
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  const { id } = buyer.purchase
  await shop.advance(12, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await page.setViewportSize({ width: 360, height: 740 })
  await openDashboard(page, buyer, shop)
  const row = products(page).first()
  const dialog = page.getByRole('dialog')
  const pay = dialog.getByRole('button', { name: /^Pay now · Due today/ })
  await row.getByRole('button', { name: 'Switch to yearly and save $78 a year' }).click()
  await expect(dialog).toContainText(/For 1\d unused days of your month−\$\d\d\.\d\dOne year\$390\.00Due today/)
  // The scrollbar disappears shortly after the dialog has opened.
  await expect.poll(() => overflowOf(page)).toBe(0)
  await expectAccessibleInBothThemes(page)

  await pay.click()
  await expect(dialog.getByRole('alert')).toHaveText(
    'Your bank declined this card. Use another card, or ask your bank. Nothing has changed.',
  )

  await dialog.getByRole('button', { name: 'Not now' }).click()
  await expect(row.getByText('$39/month', { exact: true })).toBeVisible()

  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntentId = await shop.storeCard(clientSecret, 'pm_card_authenticationRequired')
  await shop.sandbox.controls.authenticate(setupIntentId, 'complete')
  await buyer.call(purchases.finishCardUpdate, { id, setupIntentId })

  await page.setViewportSize({ width: 1280, height: 900 })
  await row.getByRole('button', { name: 'Switch to yearly' }).click()
  await pay.click()
  await expect(row).toContainText('Your bank wants you to confirm this payment.')
  await page.getByRole('button', { name: 'Fail authentication' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Nothing has changed.')

  const amountDue = /\$[\d.]+/.exec((await pay.textContent()) ?? '')?.[0] ?? ''
  await pay.click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()

  await expect(visibleToast(page)).toContainText('You’re on yearly now')
  await expect(row.getByText('$390/year', { exact: true })).toBeVisible()
  await expect(row).toContainText('Cancel now, and start monthly when your year ends.')
  const [latestInvoice] = await buyer.call(purchases.invoices, { id })
  expect(`$${((latestInvoice?.amount ?? 0) / 100).toFixed(2)}`).toBe(amountDue)
})

test('a card confirmed on the bank’s site is saved when the buyer returns', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntent = await shop.storeCard(clientSecret, 'pm_card_mastercard')
  await logInAs(page, buyer, shop)
  await page.goto(`/dashboard?card=${id}&setup_intent=${setupIntent}&redirect_status=succeeded`)
  await expect(visibleToast(page)).toContainText('Card updated')
  await expect(page).toHaveURL('/dashboard')
})

test.describe('with a German locale in New Zealand', () => {
  test.use({ locale: 'de-DE', timezoneId: 'Pacific/Auckland' })

  test('dates use the visitor’s time zone and language, and a missing invoice is reported', async ({
    page,
    shop,
    context,
  }) => {
    const buyer = await shop.user()
    await bookPurchase(shop.connection, buyer.user.id, { createdAt: new Date('2026-03-01T20:30:00Z') })
    await openDashboard(page, buyer, shop)
    const time = products(page).first().getByRole('time').first()
    await expect(time).toHaveText('02.03.2026')
    await time.hover()
    await expect(time).toHaveAttribute('title', /^Montag, 2\. März 2026 um 09:30:00/)

    const button = products(page).first().getByRole('button', { name: 'Download Invoice' })
    await button.click()
    await expect(visibleToast(page)).toContainText('Failed to download invoice')
    await expect(visibleToast(page)).toContainText('There is no invoice for this purchase')

    await page.route('**/invoice', (route) => route.fulfill({ status: 502, body: '' }))
    await button.click()
    await expect(visibleToast(page)).toContainText('Failed to fetch invoice')
    // The browser closes the empty tab a moment after the page asked for it.
    await expect.poll(() => context.pages()).toHaveLength(1)
  })
})

test('dashboard, welcome page and setup guide pass axe in both themes and fit 320 px', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  await bookPurchase(shop.connection, buyer.user.id, { status: 'past_due', pastDueSince: daysFromNow(-1) })
  await bookPurchase(shop.connection, buyer.user.id, { status: 'expired', endedAt: daysFromNow(-9) })
  await openDashboard(page, buyer, shop)

  for (const path of ['/dashboard', '/welcome', '/setup-guide']) {
    if (path !== '/dashboard') await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expectAccessibleInBothThemes(page)
    await page.setViewportSize({ width: 320, height: 700 })
    await expect.poll(() => overflowOf(page), path).toBe(0)
    await page.setViewportSize({ width: 1280, height: 720 })
  }
})
