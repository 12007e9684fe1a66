import {
  chooseFromMenu,
  confirmDialog,
  dialog,
  expectAccessibleAndFitting,
  expectToast,
  openAdmin,
  rowOf,
} from './admin-helpers.ts'
import { expect, test } from './shop.ts'
import { declineCookies } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

test('a subscription is cancelled at the end of its period, taken back, and ended now with the rest refunded', async ({
  page,
  shop,
}) => {
  const buyer = await shop.buyer()
  const { email, id } = buyer.user
  await openAdmin(page, shop, `/admin/purchases?q=${encodeURIComponent(email)}`)
  await chooseFromMenu(rowOf(page, email), 'Cancel')
  const asked = confirmDialog(page)
  await expect(asked.getByText(`Cancel purchase for ${email}?`, { exact: true })).toBeVisible()
  await expect(asked.getByLabel('At the end of the paid period')).toBeChecked()
  await expect(asked.getByText('They keep access until')).toBeVisible()
  await expectAccessibleAndFitting(page)
  await asked.getByRole('button', { name: 'Cancel purchase' }).click()
  await expect(page.getByText(/^Cancels on \w+ \d+, \d{4}$/).first()).toBeVisible()
  await expect(rowOf(page, email)).toContainText('Cancels at period end')

  await page.goto(`/admin/customers/${id}`)
  const owned = page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' })
  await chooseFromMenu(owned, 'Undo cancellation')
  await expectToast(page, 'Cancellation undone')
  await chooseFromMenu(owned, 'Cancel')
  await asked.getByLabel('End now').check()
  await expect(asked.getByText('Access ends today. Nothing is refunded.')).toBeVisible()
  await asked.getByLabel('Refund the rest, $39.00').check()
  await expect(asked.getByText('Access ends today. $39.00 goes back to their card.')).toBeVisible()
  await asked.getByRole('button', { name: 'Cancel purchase' }).click()
  await expectToast(page, 'Purchase cancelled successfully')
  await expect(page.getByText(', $39.00 refunded')).toBeVisible()
})

test('a refund says how much is left and whether it ends the subscription, and keeps access if the seller wants that', async ({
  page,
  shop,
}) => {
  const { email } = (await shop.buyer()).user
  await openAdmin(page, shop, `/admin/purchases?q=${encodeURIComponent(email)}`)
  const row = rowOf(page, email)
  // Not the toast's announcement, which is in the dialog, too.
  const effect = dialog(page).locator('output')
  await chooseFromMenu(row, 'Refund')
  await expect(dialog(page).getByText('$39.00 can be refunded.')).toBeVisible()
  await expect(effect).toHaveText('The subscription ends immediately, and so does access.')
  await dialog(page).getByLabel('Partial refund').check()
  await dialog(page).getByLabel('Amount in dollars').fill('10,01')
  await expect(effect).toHaveText('The subscription continues.')
  await dialog(page).getByRole('button', { name: 'Refund' }).click()
  await expectToast(page, 'Refund sent successfully')
  await expect(row).toContainText('$10.01 refunded')

  await chooseFromMenu(row, 'Refund')
  await expect(dialog(page).getByText('$28.99 can be refunded; $10.01 of this purchase')).toBeVisible()
  await dialog(page).getByLabel('Partial refund').check()
  await dialog(page).getByLabel('Amount in dollars').fill('28.99')
  await expect(effect).toHaveText('The subscription ends immediately, and so does access.')
  await dialog(page)
    .getByLabel(/^Keep access until/)
    .check()
  await expect(effect).toHaveText('The subscription continues.')
  await dialog(page).getByLabel('Reason').selectOption('Goodwill')
  await expectAccessibleAndFitting(page)
  await dialog(page).getByRole('button', { name: 'Refund' }).click()
  await expect(row).toContainText('$39.00 refunded')
  await expect(row).toContainText('active')
})
