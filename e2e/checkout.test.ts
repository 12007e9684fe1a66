import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { expect, logInAs, testAlsoAtStripe as test } from './shop.ts'
import { cardFrame, fillCard, holdRequests, watchLayoutShifts } from './visitors.ts'

// Runs at Stripe: `STRIPE_SECRET_KEY=sk_test_… STRIPE_PUBLISHABLE_KEY=pk_test_… npm run test:e2e -- e2e/checkout.test.ts`

const monthlyCheckout = '/checkout?product=rebound-sigma-pro&billing=monthly'
const newEmail = () => `e2e-${randomUUID()}@example.com`

async function fillCardAndPostalCode(page: Page, number: string) {
  await fillCard(page, number)
  // Stripe asks for the postal code in some countries; the sandbox never does.
  const postalCode = cardFrame(page).contentFrame().locator('[name=postalCode]')
  if (await postalCode.isVisible()) await postalCode.fill('12345')
}

/** Completes or fails 3-D Secure, which is a nested frame at Stripe and a dialog in the sandbox. */
async function finishAuthentication(page: Page, outcome: 'Complete' | 'Fail') {
  const name = new RegExp(outcome, 'i')
  const buttons = () => page.frames().map((frame) => frame.getByRole('button', { name }))
  const findVisibleButton = async () => {
    for (const button of buttons()) if (await button.isVisible()) return button
    return null
  }
  await expect.poll(findVisibleButton).not.toBeNull()
  await (await findVisibleButton())?.click()
}

async function goToPayment(page: Page, email: string, address = monthlyCheckout) {
  await page.goto(address)
  await page.getByLabel('Email', { exact: true }).first().fill(email)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
}

const payButton = (page: Page, amount = '$39.00') => page.getByRole('button', { name: `Pay ${amount}` })
/** Matches the exact text, because screen readers also get a longer version of each toast. */
const exactText = (page: Page, text: string) => page.getByText(text, { exact: true }).first()
const successHeading = (page: Page) => page.getByRole('heading', { name: 'Payment Successful!' })

async function addSession(page: Page, cookies: Map<string, string>) {
  const { origin } = new URL(page.url() === 'about:blank' ? (test.info().project.use.baseURL ?? '') : page.url())
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: origin })))
}

test.describe('a guest', () => {
  test('buys, is logged in, submits an access request, and lands on the welcome page', async ({ page }) => {
    await goToPayment(page, newEmail(), '/checkout?product=rebound-sigma-pro&billing=yearly')
    await fillCardAndPostalCode(page, '4242 4242 4242 4242')
    await payButton(page, '$390.00').click()
    await expect(successHeading(page)).toBeVisible()
    await expect(page).toHaveURL('/checkout/success')
    await expect(page.getByRole('heading', { name: 'TradingView Access Request' })).toBeVisible()

    await page.getByLabel('Exchange Name').fill('Binance')
    await page.getByLabel('TradingView Username').fill('trader')
    await page.getByLabel('Exchange API Key').fill('key')
    await page.getByLabel('Exchange Secret Key').fill('secret')
    await page.getByRole('button', { name: 'Submit Access Request' }).click()

    await expect(exactText(page, 'Access request submitted!')).toBeVisible()
    await expect(page).toHaveURL('/welcome')
  })

  test('whose page shows an old price sees the new price before paying', async ({ page }) => {
    const sentAmounts: unknown[] = []
    await page.route('/api/create-subscription-intent', async (route) => {
      const body = route.request().postDataJSON()
      sentAmounts.push(body.amount)
      if (sentAmounts.length > 1) return route.continue({ postData: JSON.stringify({ ...body, amount: 3900 }) })
      const refusal = { message: 'The price has changed to $45.00', code: 'price-changed', amount: 4500 }
      await route.fulfill({ status: 409, json: refusal })
    })

    await goToPayment(page, newEmail())

    await expect(page.getByRole('main').getByText('The price has changed to $45.00')).toBeVisible()
    await expect(exactText(page, 'Error')).toBeVisible()
    await expect(page.getByText('Renews every month at $45.00')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Show today’s prices' })).toBeVisible()

    await page.getByRole('button', { name: 'Continue to Payment' }).click()
    await expect(payButton(page)).toBeVisible()
    expect(sentAmounts).toEqual([3900, 4500])
  })

  test('who reloads, double-clicks or goes back pays only once', async ({ page, shop }) => {
    const email = newEmail()
    await goToPayment(page, email)
    await expect(payButton(page)).toBeEnabled()

    const step = page.getByRole('list', { name: 'Steps' }).locator('[aria-current=step]')
    await expect(step).toHaveText('2Payment')
    await page.reload()
    await expect(page.getByLabel('Email', { exact: true }).first()).toHaveValue(email)
    await expect(step).toHaveText('1Details')
    await page.getByRole('button', { name: 'Continue to Payment' }).click()
    await fillCardAndPostalCode(page, '4242 4242 4242 4242')
    await payButton(page).dblclick()
    await expect(successHeading(page)).toBeVisible()
    await page.reload()
    await expect(successHeading(page)).toBeVisible()

    expect(await page.evaluate(() => sessionStorage.getItem('checkout-email'))).toBeNull()
    await page.goBack()
    await expect(
      exactText(page, 'You already have a subscription to Rebound Sigma Pro. You can manage it on your dashboard.'),
    ).toBeVisible()
    await page.getByRole('link', { name: 'Go to your dashboard' }).click()
    await expect(page).toHaveURL('/dashboard')

    await page.goto('/checkout/success')
    await expect(exactText(page, 'Invalid request')).toBeVisible()
    await expect(page).toHaveURL('/')

    const receipts = (await shop.mails()).filter((mail) => mail.to.includes(email) && mail.subject.includes('receipt'))
    expect(receipts).toHaveLength(1)
  })

  test('sees a spinner until the session has loaded, and nothing shifts afterwards', async ({ page, shop }) => {
    const readLayoutShifts = await watchLayoutShifts(page)
    const email = page.getByLabel('Email', { exact: true }).first()
    for (const [isMember, width] of [
      [false, 360],
      [true, 1280],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      if (isMember) await logInAs(page, await shop.user(), shop)
      // Removes what the page stored about the earlier visit.
      if (isMember) await page.evaluate(() => localStorage.clear())
      const release = await holdRequests(page, '**/api/user')
      await page.goto(monthlyCheckout)
      await expect(page.getByText('Loading...')).toBeVisible()
      await expect(email).toBeHidden()
      await expect(page.getByRole('heading', { name: 'Checkout' })).toBeHidden()
      release()
      await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible()
      if (isMember) await expect(page.getByText('The subscription will belong to this account.')).toBeVisible()
      else await expect(email).toBeVisible()
      await page.waitForLoadState('networkidle')
      expect(await readLayoutShifts()).toEqual([])
      await page.unrouteAll()
    }
  })
})

test.describe('a logged-in buyer', () => {
  test('buys without being asked for an email', async ({ page, shop }) => {
    const user = await shop.user()
    await page.goto('/')
    await addSession(page, user.cookies)
    await page.goto(monthlyCheckout)
    await expect(page.getByText(user.user.email)).toBeVisible()
    await page.getByRole('button', { name: 'No news, please' }).click()
    await expect(page.getByText('You won’t get news by email.')).toBeVisible()
    await page.getByRole('button', { name: 'Continue to Payment' }).click()

    // Stripe disputes the payment of this test card later.
    await fillCardAndPostalCode(page, '4000 0000 0000 0259')
    await payButton(page).click()
    await expect(successHeading(page)).toBeVisible()

    expect(await user.call(purchases.list, {})).toMatchObject([{ status: 'active', amount: 3900 }])
    expect(JSON.stringify(await user.call(accounts.myData, {}))).toMatch(/"objectedToNewsAt":"\d{4}-/)
  })
})

test.describe('a card', () => {
  /** Card number, text of the toast, text of the alert in the form. */
  const refusedCards = [
    ['4000 0000 0000 0002', 'Your card was declined.', 'Your bank declined this card.'],
    ['4000 0000 0000 9995', 'Your card has insufficient funds.', 'There isn’t enough money on this card.'],
    ['4000 0000 0000 0069', 'Your card has expired.', 'This card has expired.'],
    ['4000 0000 0000 0127', "Your card's security code is incorrect.", 'The security code is wrong.'],
  ] as const
  test('that fails says why, and another card can be tried immediately', async ({ page }) => {
    test.slow()
    await goToPayment(page, newEmail())
    await expect(page.getByRole('heading', { name: 'Payment', exact: true })).toBeFocused()
    const form = page.getByRole('form', { name: 'Payment' })

    await fillCardAndPostalCode(page, '4242 4242')

    await payButton(page).click()
    const cardFields = cardFrame(page).contentFrame()
    await expect(cardFields.getByText('Your card number is incomplete.')).toBeVisible()
    await expect(exactText(page, 'Payment Failed')).toBeVisible()
    await expect(exactText(page, 'Your card number is incomplete.')).toBeVisible()
    await expect(payButton(page)).toBeEnabled()

    await page.route('/api/checkout/agreement', (route) =>
      route.fulfill({ status: 503, json: { message: 'We are away for a moment.' } }),
    )
    await fillCardAndPostalCode(page, '4242 4242 4242 4242')
    await payButton(page).click()
    await expect(exactText(page, 'We are away for a moment.')).toBeVisible()
    await expect(form).toContainText('We are away for a moment.')
    await expect(payButton(page)).toBeEnabled()
    await page.unroute('/api/checkout/agreement')

    for (const [number, toast, notice] of refusedCards) {
      await fillCardAndPostalCode(page, number)
      await payButton(page).click()
      await expect(exactText(page, 'Payment Failed')).toBeVisible()
      await expect(exactText(page, toast)).toBeVisible()
      // The message stays after the toast is gone.
      await expect(form.getByRole('alert')).toContainText(notice)
      await expect(form.getByRole('alert')).toContainText('You weren’t charged.')
      await expect(payButton(page)).toBeEnabled()
    }

    await fillCardAndPostalCode(page, '4000 0027 6000 3184')
    await payButton(page).click()
    await finishAuthentication(page, 'Fail')
    await expect(exactText(page, 'Payment Failed')).toBeVisible()
    await payButton(page).click()
    await finishAuthentication(page, 'Complete')
    await expect(successHeading(page)).toBeVisible()
  })
})

test('an incomplete checkout address leads to the products page or the home page', async ({ page }) => {
  for (const address of ['/checkout', '/checkout?product=nope&billing=yearly']) {
    await page.goto(address)
    await expect(page).toHaveURL('/products')
  }
  await page.goto('/checkout/success')
  await expect(exactText(page, 'No payment information found.')).toBeVisible()
  await expect(page).toHaveURL('/')
})

test('a guest whose login fails after the payment reads that before the redirect to login', async ({ page }) => {
  const login = '**/api/auth/guest-purchase-login'
  const isClockPaused = Promise.withResolvers<void>()
  await page.route(login, async (route) => {
    await isClockPaused.promise
    await route.fulfill({ status: 503, body: '' })
  })

  await page.clock.install()
  const loginRequested = page.waitForRequest(login)
  await page.goto('/checkout/success?payment_intent=pi_any')
  await loginRequested
  await page.clock.pauseAt(Date.now() + 3_600_000)
  isClockPaused.resolve()
  const hasFailed = async () => {
    await page.clock.runFor(20)
    return exactText(page, 'Processing failed').isVisible()
  }
  await expect.poll(hasFailed, { intervals: [0] }).toBe(true)
  await page.clock.runFor(3000)
  await expect(exactText(page, 'Processing failed')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'We could not log you in' })).toBeVisible()
  await page.clock.resume()
  await expect(page).toHaveURL('/auth')
})
