import type { Page } from '@playwright/test'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, overflowOf } from './shop.ts'

export const main = (page: Page) => page.getByRole('main')
export const exactText = (page: Page, text: string) => page.getByText(text, { exact: true }).first()

/** Pays through the API and opens the return address; other tests cover the checkout pages. */
export async function payThroughApi(page: Page, shop: TestShop, email: string, tradingViewUsername?: string) {
  const response = await page.request.post('/api/create-subscription-intent', {
    data: { productSlug: 'rebound-sigma-pro', billingType: 'monthly', email, tradingViewUsername },
  })
  const { clientSecret }: { clientSecret: string } = await response.json()
  const paymentIntentId = clientSecret.split('_secret_')[0] ?? ''
  expect(await shop.pay({ clientSecret, paymentIntentId })).toBe('succeeded')
  await page.goto(`/checkout/success?payment_intent=${paymentIntentId}`)
}

export async function expectPaymentSummary(page: Page, email: string) {
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await expect(exactText(page, 'Payment successful!')).toBeVisible()
  await expect(page.getByText('Rebound Sigma Pro, monthly')).toBeVisible()
  await expect(page.getByText('$39.00', { exact: true })).toBeVisible()
  await expect(page.getByText(/^\$39\.00 on \w+ \d+, \d+$/)).toBeVisible()
  await expect(page.getByText('Receipt sent to').locator('..')).toContainText(email)
  expect(await overflowOf(page)).toBe(0)
}

export async function skipAccessRequest(page: Page) {
  await expect(page.getByRole('heading', { name: 'TradingView Access Request' })).toBeVisible()
  await page.getByRole('button', { name: 'Skip for Now' }).click()
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByRole('heading', { name: 'TradingView Access' })).toBeVisible()
}

export async function expectAccessPromise(page: Page, sentence: string, atCheckout = sentence) {
  await page.goto('/products/rebound-sigma-pro')
  await expect(main(page)).toContainText(sentence)
  await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
  await expect(main(page)).toContainText(atCheckout)
}

export async function expectReceipt(shop: TestShop, email: string, sentence: string) {
  await shop.settle()
  const receipt = (await shop.mails()).find(({ to, subject }) => to === email && subject.startsWith('Your receipt'))
  expect(receipt?.text.replaceAll(/\s+/g, ' ')).toContain(sentence)
}
