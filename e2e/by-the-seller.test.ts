import { choose, dialog, expectLooksRight, openAdmin, question, rowOf, toast } from './admin-helpers.ts'
import { expect, inOwnShop, test } from './shop.ts'
import { comeFrom } from './visitors.ts'

test.beforeEach(({ page }) => comeFrom(page, { country_code: 'US' }))

test('a subscription is cancelled at the end of its period, taken back, and ended now with the rest refunded', async ({
  page,
  shop,
}) => {
  const buyer = await shop.buyer()
  const { email, id } = buyer.user
  await openAdmin(page, shop, `/admin/purchases?q=${encodeURIComponent(email)}`)
  await choose(rowOf(page, email), 'Cancel')
  const asked = question(page)
  await expect(asked.getByText(`Cancel purchase for ${email}?`, { exact: true })).toBeVisible()
  await expect(asked.getByLabel('At the end of the paid period')).toBeChecked()
  await expect(asked.getByText('They keep access until')).toBeVisible()
  await expectLooksRight(page)
  await asked.getByRole('button', { name: 'Cancel purchase' }).click()
  await expect(page.getByText(/^Cancels on \w+ \d+, \d{4}$/).first()).toBeVisible()
  await expect(rowOf(page, email)).toContainText('Cancels at period end')

  await page.goto(`/admin/customers/${id}`)
  const owned = page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' })
  await choose(owned, 'Undo cancellation')
  await toast(page, 'Cancellation undone')
  await choose(owned, 'Cancel')
  await asked.getByLabel('End now').check()
  await expect(asked.getByText('Access ends today. Nothing is refunded.')).toBeVisible()
  await asked.getByLabel('Refund the rest, $39.00').check()
  await expect(asked.getByText('Access ends today. $39.00 goes back to their card.')).toBeVisible()
  await asked.getByRole('button', { name: 'Cancel purchase' }).click()
  await toast(page, 'Purchase cancelled successfully')
  await expect(page.getByText(', $39.00 refunded')).toBeVisible()
})

test('a refund says whether it ends the subscription, and keeps access if the seller wants that', async ({
  page,
  shop,
}) => {
  const buyer = await shop.buyer()
  await openAdmin(page, shop, `/admin/customers/${buyer.user.id}`)
  await choose(page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' }), 'Refund')
  const effect = dialog(page).getByRole('status')
  await expect(effect).toHaveText('The subscription ends immediately, and so does access.')
  await dialog(page).getByLabel('Partial refund').check()
  await dialog(page).getByLabel('Amount in dollars').fill('10,50')
  await expect(effect).toHaveText('The subscription continues.')
  await dialog(page).getByLabel('Amount in dollars').fill('39')
  await expect(effect).toHaveText('The subscription ends immediately, and so does access.')
  await dialog(page)
    .getByLabel(/^Keep access until/)
    .check()
  await expect(effect).toHaveText('The subscription continues.')
  await dialog(page).getByLabel('Reason').selectOption('Goodwill')
  await expectLooksRight(page)
  await dialog(page).getByRole('button', { name: 'Refund' }).click()
  await toast(page, 'Refund sent successfully')
  await expect(page.getByText(', $39.00 refunded')).toBeVisible()
  await expect(page.getByText('active', { exact: true })).toBeVisible()
})

/** In a shop of its own, because its clock moves by a month. */
const inShopOfItsOwn = inOwnShop()

inShopOfItsOwn(
  'an unpaid renewal is retried and a link sent, a username corrected; deleting says what it does',
  async ({ page, shop }) => {
    const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    const { email, id } = buyer.user
    await shop.advance(1, 'month')
    await shop.settle()
    await openAdmin(page, shop, `/admin/customers/${id}`)
    const owned = page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' })
    await choose(owned, 'Retry payment')
    await toast(page, 'The payment failed again')
    await choose(owned, 'Send pay link')
    await toast(page, 'Link sent')
    await choose(page.getByRole('region', { name: 'Access' }), 'Change username')
    await dialog(page).getByLabel('TradingView username').fill('the_right_name')
    await dialog(page).getByRole('button', { name: 'Change', exact: true }).click()
    await toast(page, 'Username changed')
    await expect(page.getByText('the_right_name').first()).toBeVisible()
    await expectLooksRight(page)

    await page.goto(`/admin/purchases?q=${encodeURIComponent(email)}`)
    await choose(rowOf(page, email), 'Delete purchase')
    await expect(question(page)).toContainText('The subscription ends today, and nothing is refunded.')
    await expect(question(page)).toContainText('The sale leaves the lists and the exports; past figures stay.')
    await question(page).getByRole('button', { name: 'Cancel' }).click()

    await page.goto(`/admin/users?q=${encodeURIComponent(email)}`)
    await choose(rowOf(page, email), 'Delete user')
    await expect(question(page)).toContainText('A live subscription ends today, and nothing is refunded.')
    await expectLooksRight(page)
  },
)
