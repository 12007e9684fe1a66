import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accessPromise } from '#contract/access/promise.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import {
  exactText,
  expectAccessPromise,
  expectPaymentSummary,
  expectReceipt,
  main,
  payThroughApi,
  skipAccessRequest,
} from './after-paying-helpers.ts'
import { expect, expectAccessible, test } from './shop.ts'

const accessForm = (page: Page) => page.getByRole('form', { name: 'TradingView Access Request' })

const findSuccessLink = async (shop: TestShop, email: string) => {
  await shop.settle()
  const mail = (await shop.mails()).findLast(({ to, text }) => to === email && text.includes('payment_intent'))
  return /https?:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? ''
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
