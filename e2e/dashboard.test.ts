import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, expectAccessibleInBothThemes, logInAs, overflowOf, test } from './shop.ts'

type Person = Awaited<ReturnType<TestShop['user']>>

async function openDashboard(page: Page, person: Person, shop: TestShop) {
  await logInAs(page, person, shop)
  await page.context().addCookies([{ name: 'bsl_cookie_consent', value: 'false', url: shop.url }])
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const part = (page: Page, name: string) => page.getByRole('region', { name })
const quickCard = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name })
const products = (page: Page) => part(page, 'My Products').getByRole('listitem')
const toastIn = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')
const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000)

test('a newcomer is greeted by name, sees placeholders, a way to retry, and a link to the products; without a name they are Trader, and what owners have is not shown to past ones', async ({
  page,
  shop,
}) => {
  const person = await shop.user({ name: 'Grace Hopper' })
  const gate = Promise.withResolvers<void>()
  await page.route('**/api/purchases', async (route) => {
    await gate.promise
    await route.fulfill({ status: 500, json: { message: 'Broken' } })
  })
  await openDashboard(page, person, shop)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome Back, Grace Hopper')
  await expect(page.getByLabel('Loading your products')).toBeVisible()
  gate.resolve()
  await expect(page.getByText('We couldn’t load your products.')).toBeVisible()
  await page.unroute('**/api/purchases')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(part(page, 'My Products').getByText('No products yet')).toBeVisible()
  await part(page, 'My Products').getByRole('link', { name: 'Browse Products' }).click()
  await expect(page).toHaveURL('/products')

  await person.call(accounts.updateProfile, { name: '' })
  await bookPurchase(shop.connection, person.user.id, { status: 'expired' })
  await openDashboard(page, person, shop)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome Back, Trader')
  await expect(products(page)).toHaveCount(1)
  await expect(page.getByText('Recommended Assets')).toHaveCount(0)
  await expect(page.getByText('Your Package')).toHaveCount(0)
})

test.describe('my products', () => {
  test('fit five on one screen, each with the right badge, price, dates, and buttons', async ({ page, shop }) => {
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

    const expected = [
      { badge: 'active', plan: 'monthly', price: '$39/month', text: /renews on/, extra: 'Cancel Subscription' },
      {
        badge: 'Cancels at period end',
        plan: 'yearly',
        price: '$390/year',
        text: /ends on/,
        extra: 'Resume Subscription',
      },
      {
        badge: 'past due',
        plan: 'monthly',
        price: '$39/month',
        text: /Payment failed. Please update your card/,
        extra: 'Update Card',
      },
      { badge: 'cancelled', plan: 'monthly', price: '$39/month', text: /ended on .* It was cancelled/ },
      { badge: 'expired', plan: 'yearly', price: '$390/year', text: /ended on .* The renewal was not paid/ },
    ]
    await expect(products(page)).toHaveCount(expected.length)
    for (const [index, { badge, plan, price, text, extra }] of expected.entries()) {
      const row = products(page).nth(index)
      await expect(row.getByRole('heading')).toHaveText('Rebound Sigma Pro')
      await expect(row.getByText(badge, { exact: true })).toBeVisible()
      await expect(row.getByText(`${plan} subscription`, { exact: true })).toBeVisible()
      await expect(row.getByText(price, { exact: true })).toBeVisible()
      await expect(row).toContainText(text)
      await expect(row.getByRole('button', { name: 'Download Invoice' })).toBeVisible()
      await expect(row.getByRole('button', { name: 'Cancel Subscription' })).toHaveCount(
        badge === 'active' || badge === 'past due' ? 1 : 0,
      )
      if (extra) await expect(row.getByRole('button', { name: extra })).toBeVisible()
    }
    await products(page).first().scrollIntoViewIfNeeded()
    await page.setViewportSize({ width: 1280, height: 1000 })
    await quickCard(page, 'My Products').click()
    await expect(part(page, 'My Products')).toBeFocused()
    await expect(products(page).first()).toBeInViewport({ ratio: 1 })
    await expect(products(page).last()).toBeInViewport({ ratio: 1 })
  })

  test('are cancelled after a confirmation and can be resumed', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    await openDashboard(page, buyer, shop)
    await expect(quickCard(page, 'My Products')).toContainText('1 active subscriptions')
    const row = products(page).first()
    await row.getByRole('button', { name: 'Cancel Subscription' }).click()
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText(
      'Are you sure you want to cancel your subscription? You will retain access until the end of your billing period.',
    )
    await question.getByRole('button', { name: 'Keep Subscription' }).click()
    await expect(row.getByText('active', { exact: true })).toBeVisible()
    await row.getByRole('button', { name: 'Cancel Subscription' }).click()
    await question.getByRole('button', { name: 'Cancel Subscription' }).click()
    await expect(toastIn(page)).toContainText('Subscription will be cancelled')
    await expect(row.getByText('Cancels at period end', { exact: true })).toBeVisible()
    await expect(row).toContainText(/ends on/)
    // After the cancellation, the question can be skipped, answered, or undone.
    const why = page.getByRole('dialog', { name: 'Your subscription is cancelled' })
    await expect(why.getByRole('radio')).toHaveCount(8)
    await expectAccessible(page)
    await why.getByRole('radio', { name: 'I don’t use it enough' }).check()
    await why.getByLabel('Anything to add? (optional)').fill('Too busy this year')
    await why.getByRole('button', { name: 'Send' }).click()
    await expect(why).toBeHidden()
    await row.getByRole('button', { name: 'Resume Subscription' }).click()
    await expect(row.getByText('active', { exact: true })).toBeVisible()
    await row.getByRole('button', { name: 'Cancel Subscription' }).click()
    await question.getByRole('button', { name: 'Cancel Subscription' }).click()
    await why.getByRole('button', { name: 'Skip' }).click()
    await expect(row.getByText('Cancels at period end', { exact: true })).toBeVisible()
  })

  test('load a few at a time when there are hundreds', async ({ page, shop }) => {
    const buyer = await shop.user()
    for (let count = 0; count < 103; count++)
      await bookPurchase(shop.connection, buyer.user.id, {
        status: count === 0 ? 'active' : 'expired',
        createdAt: daysFromNow(-count - 1),
      })
    await openDashboard(page, buyer, shop)
    await expect(quickCard(page, 'My Products')).toContainText('100+')
    await expect(products(page)).toHaveCount(6)
    const more = part(page, 'My Products').getByRole('button', { name: 'Show more' })
    await more.click()
    await expect(products(page)).toHaveCount(100)
    await more.click()
    await expect(products(page)).toHaveCount(103)
    await expect(more).toBeHidden()
    await expect(products(page).first().getByText('active', { exact: true })).toBeVisible()
  })
})

test.describe('invoices', () => {
  test('each receipt opens its own invoice, once, without a login', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    await shop.advance(1, 'month')
    const { email } = buyer.user
    const links = (await shop.mails())
      .filter(({ to, subject }) => to === email && subject.startsWith('Your receipt'))
      .map(({ text }) => /https?:\S+\/invoice\?purchase=[^\s)]+/.exec(text)?.[0] ?? '')
    await buyer.call(accounts.login, { email, password: buyer.password })
    const urls: string[] = []
    for (const { id: document } of await buyer.call(purchases.invoices, { id: buyer.purchase.id }))
      urls.push((await buyer.call(purchases.document, { document })).viewUrl ?? '')
    const [renewal = '', first = ''] = urls

    const open = page.getByRole('button', { name: 'Open the invoice' })
    await page.goto(links[1] ?? '')
    await open.click()
    await expect(page).toHaveURL(renewal)
    await page.goto(links[1] ?? '')
    await open.click()
    await expect(page.getByRole('alert')).toContainText('This link has been used or has expired.')

    // Used and expired links require a login.
    await page.goto(links[0] ?? '')
    await open.click()
    await expect(page.getByRole('alert')).toContainText('This link has been used or has expired.')
    await page.getByRole('link', { name: 'Go to your dashboard' }).click()
    await page.getByLabel('Email', { exact: true }).first().fill(email)
    await page.getByLabel('Password', { exact: true }).fill(buyer.password)
    await page.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page).toHaveURL(first)
  })

  test('the latest opens in a new tab, and all of them are listed with date, amount, and status', async ({
    page,
    shop,
    context,
  }) => {
    await openDashboard(page, await shop.buyer({ billing: 'yearly' }), shop)
    const latest = context.waitForEvent('page')
    await products(page).first().getByRole('button', { name: 'Download Invoice' }).click()
    await expect(await latest).toHaveURL(/invoice/)
    await expect((await latest).getByText('$390.00').first()).toBeVisible()
    await (await latest).close()

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
    const opened = context.waitForEvent('page')
    await invoice.getByRole('button', { name: 'Open' }).click()
    await expect((await opened).getByText('$390.00').first()).toBeVisible()
    await expect(invoice.getByRole('button', { name: 'PDF' })).toBeVisible()
  })
})

test('a failed renewal is fixed with another card', async ({ page, shop }) => {
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
  const frame = page.frameLocator('iframe[title="Secure payment input frame"]').first()
  const save = async (card: string) => {
    await frame.locator('[name=number]').fill(card)
    await frame.locator('[name=expiry]').fill('12 / 34')
    await frame.locator('[name=cvc]').fill('123')
    await dialog.getByRole('button', { name: 'Pay $39.00 and save card' }).click()
  }
  await save('4000 0000 0000 0341')
  await expect(dialog.getByRole('alert')).toHaveText(
    'Your bank declined this card. Use another card, or ask your bank. Your card on file stays the same.',
  )
  await save('4242 4242 4242 4242')
  await expect(toastIn(page)).toContainText('Card updated')
  await expect(row.getByText('active', { exact: true })).toBeVisible()
  await expect(row).toContainText('Visa ending in 4242, expires 12/34')
})

test('a renewal that only wants the bank’s confirmation gets it with the same card', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntentId = await shop.storeCard(clientSecret, 'pm_card_authenticationRequired')
  await shop.sandbox.controls.authenticate(setupIntentId, 'complete')
  await buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
  await shop.advance(1, 'month')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await openDashboard(page, buyer, shop)
  const failed = page.getByRole('region', { name: 'Failed payment' })
  await expect(failed).toContainText('Your card is fine.')
  await failed.getByRole('button', { name: 'Confirm with your bank' }).click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(products(page).first().getByText('active', { exact: true })).toBeVisible()
  await expect(failed).toBeHidden()
})

test('monthly becomes yearly: declined, then refused at the bank, then paid as the button says', async ({
  page,
  shop,
}) => {
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
  // The scrollbar leaves a moment after the dialog has opened.
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
  const due = /\$[\d.]+/.exec((await pay.textContent()) ?? '')?.[0] ?? ''
  await pay.click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(toastIn(page)).toContainText('You’re on yearly now')
  await expect(row.getByText('$390/year', { exact: true })).toBeVisible()
  await expect(row).toContainText('Cancel now, and start monthly when your year ends.')
  const [paid] = await buyer.call(purchases.invoices, { id })
  expect(`$${((paid?.amount ?? 0) / 100).toFixed(2)}`).toBe(due)
})

test('a card confirmed on the bank’s own site is used once the buyer is back', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntent = await shop.storeCard(clientSecret, 'pm_card_mastercard')
  await logInAs(page, buyer, shop)
  await page.goto(`/dashboard?card=${id}&setup_intent=${setupIntent}&redirect_status=succeeded`)
  await expect(toastIn(page)).toContainText('Card updated')
  await expect(page).toHaveURL('/dashboard')
})

test.describe('in the visitor’s own locale', () => {
  test.use({ locale: 'de-DE', timezoneId: 'Pacific/Auckland' })

  test('times use the local time zone and language, exact on hover; an invoice that cannot be had is reported in the server’s words or the promised ones', async ({
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
    await expect(toastIn(page)).toContainText('Failed to download invoice')
    await expect(toastIn(page)).toContainText('There is no invoice for this purchase')
    await page.route('**/invoice', (route) => route.fulfill({ status: 502, body: '' }))
    await button.click()
    await expect(toastIn(page)).toContainText('Failed to fetch invoice')
    // The page asks for the empty tab to be closed; the browser does so a moment later.
    await expect.poll(() => context.pages()).toHaveLength(1)
  })
})

test('the dashboard passes axe in both themes and fits at 320 px', async ({ page, shop }) => {
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
