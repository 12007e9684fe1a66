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

test('the seller cancels at period end, undoes that, and ends immediately with a refund', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  const { email, id } = buyer.user
  await openAdmin(page, shop, `/admin/purchases?q=${encodeURIComponent(email)}`)

  await chooseFromMenu(rowOf(page, email), 'Cancel')
  const cancelDialog = confirmDialog(page)
  await expect(cancelDialog.getByText(`Cancel purchase for ${email}?`, { exact: true })).toBeVisible()
  await expect(cancelDialog.getByLabel('At the end of the paid period')).toBeChecked()
  await expect(cancelDialog.getByText('They keep access until')).toBeVisible()
  await expectAccessibleAndFitting(page)

  await cancelDialog.getByRole('button', { name: 'Cancel purchase' }).click()
  await expect(page.getByText(/^Cancels on \w+ \d+, \d{4}$/).first()).toBeVisible()
  await expect(rowOf(page, email)).toContainText('Cancels at period end')

  await page.goto(`/admin/customers/${id}`)
  const purchaseItem = page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' })
  await chooseFromMenu(purchaseItem, 'Undo cancellation')
  await expectToast(page, 'Cancellation undone')

  await chooseFromMenu(purchaseItem, 'Cancel')
  await cancelDialog.getByLabel('End now').check()
  await expect(cancelDialog.getByText('Access ends today. Nothing is refunded.')).toBeVisible()
  await cancelDialog.getByLabel('Refund the rest, $39.00').check()
  await expect(cancelDialog.getByText('Access ends today. $39.00 goes back to their card.')).toBeVisible()

  await cancelDialog.getByRole('button', { name: 'Cancel purchase' }).click()
  await expectToast(page, 'Purchase cancelled successfully')
  await expect(page.getByText(', $39.00 refunded')).toBeVisible()
})

test('a refund shows the refundable amount and ends the subscription unless the seller keeps it', async ({
  page,
  shop,
}) => {
  const { email } = (await shop.buyer()).user
  await openAdmin(page, shop, `/admin/purchases?q=${encodeURIComponent(email)}`)
  const row = rowOf(page, email)
  // `output` excludes the announcement of the toast, which is in the dialog too.
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
