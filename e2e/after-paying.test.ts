import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accessPromise } from '#contract/access/promise.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, overflowOf, test, testWithConnectedShop } from './shop.ts'
import { waitUntilPagesShowConnection } from './visitors.ts'

const main = (page: Page) => page.getByRole('main')
const exactText = (page: Page, text: string) => page.getByText(text, { exact: true }).first()
const accessForm = (page: Page) => page.getByRole('form', { name: 'TradingView Access Request' })

/** Pays through the API and opens the return address; other tests cover the checkout pages. */
async function payThroughApi(page: Page, shop: TestShop, email: string, tradingViewUsername?: string) {
  const response = await page.request.post('/api/create-subscription-intent', {
    data: { productSlug: 'rebound-sigma-pro', billingType: 'monthly', email, tradingViewUsername },
  })
  const { clientSecret }: { clientSecret: string } = await response.json()
  const paymentIntentId = clientSecret.split('_secret_')[0] ?? ''
  expect(await shop.pay({ clientSecret, paymentIntentId })).toBe('succeeded')
  await page.goto(`/checkout/success?payment_intent=${paymentIntentId}`)
}

async function expectPaymentSummary(page: Page, email: string) {
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await expect(exactText(page, 'Payment successful!')).toBeVisible()
  await expect(page.getByText('Rebound Sigma Pro, monthly')).toBeVisible()
  await expect(page.getByText('$39.00', { exact: true })).toBeVisible()
  await expect(page.getByText(/^\$39\.00 on \w+ \d+, \d+$/)).toBeVisible()
  await expect(page.getByText('Receipt sent to').locator('..')).toContainText(email)
  expect(await overflowOf(page)).toBe(0)
}

async function logIn(page: Page, email: string, password: string) {
  const login = page.getByRole('form', { name: 'Login' })
  await login.getByLabel('Email').fill(email)
  await login.getByLabel('Password', { exact: true }).fill(password)
  await login.getByRole('button', { name: 'Log In', exact: true }).click()
}

async function skipAccessRequest(page: Page) {
  await expect(page.getByRole('heading', { name: 'TradingView Access Request' })).toBeVisible()
  await page.getByRole('button', { name: 'Skip for Now' }).click()
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByRole('heading', { name: 'TradingView Access' })).toBeVisible()
}

const findSuccessLink = async (shop: TestShop, email: string) => {
  await shop.settle()
  const mail = (await shop.mails()).findLast(({ to, text }) => to === email && text.includes('payment_intent'))
  return /https?:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? ''
}

async function expectAccessPromise(page: Page, sentence: string, atCheckout = sentence) {
  await page.goto('/products/rebound-sigma-pro')
  await expect(main(page)).toContainText(sentence)
  await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
  await expect(main(page)).toContainText(atCheckout)
}

async function expectReceipt(shop: TestShop, email: string, sentence: string) {
  await shop.settle()
  const receipt = (await shop.mails()).find(({ to, subject }) => to === email && subject.startsWith('Your receipt'))
  expect(receipt?.text.replaceAll(/\s+/g, ' ')).toContain(sentence)
}

test.describe('in a shop that unlocks by hand', () => {
  const sentence = accessPromise({ unlocksItself: false })

  test('a new guest reads the same access promise from the product to the welcome page', async ({ page, shop }) => {
    const email = `e2e-${randomUUID()}@example.com`
    await expectAccessPromise(page, sentence)

    await expect(page.getByRole('button', { name: 'Continue to Payment' })).toBeVisible()
    await expect(page.getByLabel(/TradingView Username/)).toHaveCount(0)
    await payThroughApi(page, shop, email)
    await expectPaymentSummary(page, email)

    await expect(page.getByText('One step left: send us your access request.')).toBeVisible()
    await expect(main(page)).toContainText(`Send us your access request. ${sentence}`)
    await expectAccessible(page)

    await accessForm(page).getByLabel('Exchange Name').fill('Binance')
    await accessForm(page).getByLabel('TradingView Username').fill('by_hand_buyer')
    await accessForm(page).getByLabel('Exchange API Key').fill('my api key')
    await accessForm(page).getByLabel('Exchange Secret Key').fill('my secret key')
    await accessForm(page).getByRole('button', { name: 'Submit Access Request' }).click()

    await expect(exactText(page, 'Access request submitted!')).toBeVisible()
    await expect(page).toHaveURL('/welcome')
    await expect(main(page)).toContainText(sentence)

    await expectReceipt(shop, email, sentence)
    const mails = await shop.mails()
    expect(mails.filter(({ to, text }) => to === email && text.includes('by_hand_buyer'))).toHaveLength(1)
    expect(mails.filter(({ to, subject }) => to !== email && subject.includes('Access request'))).not.toEqual([])
  })

  test('a guest with an unconfirmed account sets a new password by email and returns to the purchase', async ({
    page,
    shop,
    context,
  }) => {
    const { user } = await shop.user()
    await payThroughApi(page, shop, user.email)
    await expectPaymentSummary(page, user.email)
    await expect(page.getByRole('heading', { name: 'One step left: set your password' })).toBeVisible()
    await expect(main(page)).toContainText(
      'We’ve sent you a link to set your password; the old one no longer works, because this address was never confirmed.',
    )
    await expectAccessible(page)

    const mailbox = await context.newPage()
    await mailbox.goto(await findSuccessLink(shop, user.email))
    await mailbox.getByLabel('New password', { exact: true }).fill('open sesame')
    await mailbox.getByLabel('Confirm password', { exact: true }).fill('open sesame')
    await mailbox.getByRole('button', { name: 'Set password' }).click()

    await expect(mailbox).toHaveURL('/checkout/success')
    await expectPaymentSummary(mailbox, user.email)
    await skipAccessRequest(mailbox)
  })

  test('another browser cannot log in with someone else’s payment', async ({ page, shop }) => {
    const owner = await shop.verifiedUser()
    const { paymentIntentId } = await shop.guest(shop.visitor(), owner.user.email)
    await shop.settle()
    await page.goto(`/checkout/success?payment_intent=${paymentIntentId}`)
    await expect(exactText(page, 'Processing failed')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'We could not log you in' })).toBeVisible()
    await expect(page.getByText('$39.00')).toHaveCount(0)
    await expect(page).toHaveURL('/auth')
  })
})

testWithConnectedShop.describe('in a connected shop, on a phone', () => {
  testWithConnectedShop.describe.configure({ mode: 'default' })
  testWithConnectedShop.use({ viewport: { width: 390, height: 800 } })
  const sentence = accessPromise({ unlocksItself: true })

  testWithConnectedShop(
    'a new guest reads the same access promise from the product to the dashboard',
    async ({ page, shop }) => {
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
    },
  )

  testWithConnectedShop(
    'a guest with a confirmed account logs in after the payment and returns to the purchase',
    async ({ page, shop }) => {
      const owner = await shop.verifiedUser()
      const { email } = owner.user
      const username = `back_${randomUUID().slice(0, 6)}`
      await payThroughApi(page, shop, email, username)
      await expectPaymentSummary(page, email)
      await expect(page.getByRole('heading', { name: 'One step left: log in' })).toBeVisible()
      await expectAccessible(page)

      await main(page).getByRole('link', { name: 'Log In' }).click()
      await logIn(page, email, owner.password)
      await expect(page).toHaveURL('/checkout/success')
      await expectPaymentSummary(page, email)

      // The guest was not logged in, so the owner confirms the username with one click.
      await expect(page.getByRole('textbox', { name: 'TradingView Username' })).toHaveValue(username)
      await skipAccessRequest(page)
    },
  )
})
