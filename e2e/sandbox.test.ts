import type { Locator, Page } from '@playwright/test'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { colorRules, expect, expectAccessible, logInAs, overflowOf, test } from './shop.ts'

const openLatestInvoice = async (page: Page, email: string) => {
  await page.goto(`/_sandbox/?q=${encodeURIComponent(email)}`)
  await page.getByRole('region', { name: 'Objects' }).getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Invoice' })).toBeVisible()
}
const cardFrame = (page: Page) => page.frameLocator('iframe[title="Secure payment input frame"]')
const cardField = (page: Page, label: string) => cardFrame(page).getByLabel(label)

test('advancing the clock by a month renews a subscription and creates its invoice', async ({ page, shop }) => {
  await shop.stopBilling()
  const buyer = await shop.user()
  await shop.buy(buyer)
  await page.goto(`/_sandbox/?q=${encodeURIComponent(buyer.user.email)}`)
  const invoices = page.getByRole('region', { name: 'Objects' }).getByRole('link')
  await expect(invoices).toHaveCount(1)

  await page.getByRole('button', { name: 'Advance 1 month' }).click()
  await expect(page.getByRole('status')).toHaveText('Done.')

  await page.getByLabel('Customer’s email').fill(buyer.user.email)
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(invoices).toHaveCount(2)

  await invoices.first().click()
  await expect(page.getByRole('heading', { name: 'Invoice' })).toBeVisible()
  await expect(page.getByText('Visa ending in 4242')).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download PDF' }).click()
  expect((await download).suggestedFilename()).toMatch(/^Invoice-.+\.pdf$/)
})

test('the success page waits for a payment that Stripe is still processing', async ({ page, shop }) => {
  const user = await shop.user()
  await logInAs(page, user, shop)
  await shop.sandbox.controls.behave({ lag: { from: 3600, to: 3600 } })
  const order = await shop.begin(user)
  await shop.pay(order)

  let confirmCalls = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/purchases/confirm')) confirmCalls += 1
  })
  const timerDelaysMs: number[] = []
  await page.exposeFunction('recordDelay', (milliseconds: number) => timerDelaysMs.push(milliseconds))
  await page.clock.install()
  // Records the delay of every timer that the page starts.
  await page.addInitScript(() => {
    const { setTimeout } = window
    window.setTimeout = Object.assign((run: TimerHandler, milliseconds?: number, ...timerArguments: unknown[]) => {
      // `Object()` only hides the type of the window, which does not know `recordDelay`.
      Object(window).recordDelay(milliseconds)
      return setTimeout(run, milliseconds, ...timerArguments)
    }, setTimeout)
  })

  await page.goto(`/checkout/success?payment_intent=${order.paymentIntentId}`)
  await expect(page.getByText('Processing your purchase...')).toBeVisible()

  const advanceAndExpectVisible = async (locator: Locator) => {
    await page.clock.runFor(500)
    expect(await locator.isVisible()).toBe(true)
  }
  const manyAttempts = { intervals: [20], timeout: 60_000 }
  await expect(() => advanceAndExpectVisible(page.getByText('We’re waiting for Stripe to confirm'))).toPass(
    manyAttempts,
  )
  await expect(() =>
    advanceAndExpectVisible(page.getByText('There’s nothing to do, and please don’t pay again.')),
  ).toPass(manyAttempts)
  expect(confirmCalls).toBe(9)
  // The delays add up to 20 seconds.
  const expectedDelaysMs = [500, 1000, 1500, 2000, 3000, 4000, 4000, 4000]
  const retryDelays = new Set(expectedDelaysMs)
  expect(timerDelaysMs.filter((delay) => retryDelays.has(delay))).toEqual(expectedDelaysMs)

  await shop.sandbox.controls.settle()
  await shop.sandbox.controls.behaveAsUsual()
  await expect(() => advanceAndExpectVisible(page.getByRole('heading', { name: 'Payment Successful!' }))).toPass(
    manyAttempts,
  )
  expect(await user.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
})

test('a payment form that fails to load says so and can be loaded again', async ({ page, shop }) => {
  await logInAs(page, await shop.user(), shop)
  await page.route('**/_sandbox/card-frame', (route) => route.abort())
  const response = await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
  // The window of a wallet, such as Google Pay, must be able to send messages to the page.
  expect(response?.headers()['cross-origin-opener-policy']).toBe('same-origin-allow-popups')
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(page.getByRole('alert')).toContainText('We couldn’t load the payment form.')

  await page.unroute('**/_sandbox/card-frame')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('button', { name: 'Pay $39.00' })).toBeEnabled()
})

test('an open invoice is paid on its hosted page', async ({ page, shop }) => {
  await shop.stopBilling()
  const buyer = await shop.user()
  await shop.buy(buyer, { laterCard: 'pm_card_chargeCustomerFail' })
  await shop.sandbox.controls.advance(1, 'month')
  await openLatestInvoice(page, buyer.user.email)
  await expect(page.getByText('Due', { exact: true })).toBeVisible()

  await cardField(page, 'Card number').fill('4000 0000 0000 0002')
  await cardField(page, 'Expiration date').fill('1240')
  await cardField(page, 'Security code').fill('123')
  const pay = page.getByRole('button', { name: 'Pay $39.00' })
  await pay.click()
  await expect(page.getByRole('alert')).toHaveText('Your card was declined.')

  await cardField(page, 'Card number').fill('4242 4242 4242 4242')
  await pay.click()
  await expect(page.getByText('Date paid')).toBeVisible()
  await expect
    .poll(async () => (await buyer.call(purchases.list, {})).map((purchase) => purchase.status))
    .toEqual(['active'])
})

test("the sandbox's pages pass axe in light and dark mode and fit 360 px", async ({ page, shop }) => {
  const buyer = await shop.user()
  await shop.buy(buyer)
  const unpaidBuyer = await shop.user()
  await unpaidBuyer.call(checkout.createSubscriptionIntent, {
    productSlug: 'rebound-sigma-pro',
    billingType: 'monthly',
  })
  const expectAccessibleInBothModes = async (excludedInDark: string[] = []) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page, { exclude: excludedInDark, rules: colorRules })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await overflowOf(page)).toBe(0)
  }
  await page.emulateMedia({ colorScheme: 'light' })

  await page.goto(`/_sandbox/?q=${encodeURIComponent(buyer.user.email)}`)
  await expectAccessibleInBothModes()
  await openLatestInvoice(page, buyer.user.email)
  await page.waitForLoadState()
  await expectAccessibleInBothModes()

  await openLatestInvoice(page, unpaidBuyer.user.email)
  await expect(cardField(page, 'Card number')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Pay $39.00' })).toBeEnabled()
  await page.getByRole('button', { name: 'Pay $39.00' }).click()
  await expect(cardFrame(page).getByText('Your card number is incomplete.')).toBeVisible()
  // Axe assumes a white background inside the frame, which is transparent.
  await expectAccessibleInBothModes(['iframe'])
})

test('the card fields work by keyboard, and the script reads payments and runs 3-D Secure', async ({ page, shop }) => {
  const unpaidBuyer = await shop.user()
  const order = await shop.begin(unpaidBuyer)
  const { clientSecret } = order

  await openLatestInvoice(page, unpaidBuyer.user.email)

  await cardField(page, 'Card number').focus()
  await page.keyboard.type('4242424242424242')
  await page.keyboard.press('Tab')
  await page.keyboard.type('12')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1234')

  const frame = page.locator('iframe[title="Secure payment input frame"]')
  const heightBefore = (await frame.boundingBox())?.height ?? 0
  await page.getByRole('button', { name: 'Pay $39.00' }).click()
  await expect(cardField(page, 'Expiration date')).toBeFocused()
  await expect(cardField(page, 'Expiration date')).toHaveAccessibleDescription(
    "Your card's expiration date is incomplete.",
  )
  await expect.poll(async () => (await frame.boundingBox())?.height).toBeGreaterThan(heightBefore)

  await page.keyboard.type('40')
  await expect(cardField(page, 'Expiration date')).toHaveAccessibleDescription('')

  const callStripe = (method: string, ...values: unknown[]) =>
    page.evaluate(
      async ({ key, name, parameters }) => {
        const create: unknown = Reflect.get(window, 'Stripe')
        const stripe = (create as (key: string) => Record<string, (...values: unknown[]) => Promise<unknown>>)(key)
        return stripe[name]?.(...parameters)
      },
      { key: shop.sandbox.publishableKey, name: method, parameters: values },
    )

  expect(await callStripe('retrievePaymentIntent', clientSecret)).toMatchObject({
    paymentIntent: { status: 'requires_payment_method', amount: 3900 },
  })
  expect(await callStripe('retrievePaymentIntent', `${clientSecret}x`)).toMatchObject({
    error: { param: 'client_secret' },
  })

  for (const unsupportedMethod of ['confirmCardPayment', 'createToken', 'createPaymentMethod'])
    expect(await callStripe(unsupportedMethod)).toMatchObject({ error: { type: 'invalid_request_error' } })

  await shop.pay(order, 'pm_card_authenticationRequired')
  const cancelledAction = callStripe('handleNextAction', { clientSecret })
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  expect(await cancelledAction).toMatchObject({ error: { code: 'payment_intent_authentication_failure' } })

  await shop.pay(order, 'pm_card_authenticationRequired')
  const completedAction = callStripe('handleNextAction', { clientSecret })
  await expect(page.getByRole('button', { name: 'Complete authentication' })).toBeFocused()
  await page.keyboard.press('Enter')
  expect(await completedAction).toMatchObject({ paymentIntent: { status: 'succeeded' } })
})
