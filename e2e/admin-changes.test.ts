import { contact } from '#contract/site/contact.ts'
import {
  chooseFromMenu,
  confirmDialog,
  createCustomerWithRequest,
  dialog,
  expectAccessibleAndFitting,
  expectToast,
  openAdmin,
  rowOf,
} from './admin-helpers.ts'
import { expect, expectAccessible, testWithOwnShop } from './shop.ts'

/** In a shop of their own: the settings, the prices and the clock of a shop show on every page. */
const test = testWithOwnShop()

test.describe.configure({ mode: 'default' })

test('what needs the seller comes first, and what is set here is on the site', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  const writer = { firstName: 'Wri', lastName: 'Ter', email: 'writer@example.com', message: 'Hello?' }
  await shop.visitor().call(contact.send, writer)
  await createCustomerWithRequest(shop)
  await shop.sandbox.controls.openDispute(buyer.purchase.paymentIntentId ?? '')
  await shop.settle()
  await openAdmin(page, shop, '/admin/overview')
  await page.getByRole('link', { name: /^Answer \d+ messages?/ }).click()
  await expect(page.getByRole('row').filter({ hasText: 'writer@example.com' })).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: /^Answer \d+ access requests?/ }).click()
  await expect(page.getByRole('button', { name: 'Remove filter: New requests' })).toBeVisible()
  await expect(page.getByText('1 person', { exact: true })).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: /^Answer \d+ disputes?/ }).click()
  await expect(page).toHaveURL('/admin/purchases?need=disputes')
  await expect(page.getByText('1 purchase', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Remove filter: Dispute to answer' }).click()
  await expect(page).toHaveURL('/admin/purchases')
  await page.goBack()
  await expect(page.getByText(/\d+ of \d\d days/).first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Overview' }).locator('dt')).toHaveText([
    'Monthly recurring revenue',
    'Net new this month',
    'Paying people',
    'Churn this month',
    'Past due',
    'Cards that expire within 30 days',
    'Disputed',
  ])
  await page.getByLabel('How “Net new this month” is computed').click()
  await expect(page.getByText(/New, back again and more, minus less and lost/)).toBeVisible()
  await page.getByText('What moved the revenue as a table').click()
  await expect(page.getByRole('region', { name: 'What moved the revenue' }).getByRole('row')).toHaveCount(13)
  await page.getByRole('link', { name: /Net new this month/ }).click()
  await expect(page.getByRole('button', { name: /Remove filter: In / })).toBeVisible()
  await expect(page.getByRole('row', { name: new RegExp(`${buyer.user.email}.*New`) })).toBeVisible()

  await page.goto('/admin/overview')
  await page
    .getByRole('region', { name: /^Open your shop/ })
    .getByRole('link', { name: 'Imprint' })
    .click()
  const seller = page.getByRole('form', { name: 'Seller' })
  await seller.getByLabel('Name or company').fill('Hill & Sons')
  await seller.getByLabel('Street and number').fill('Long Row 12')
  await seller.getByLabel('Postal code and city').fill('4500 Solothurn')
  await seller.getByLabel('Country').fill('Switzerland')
  await seller.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
  await page.goBack()
  const maker = page.getByRole('form', { name: 'Maker' })
  await maker.getByLabel('Name', { exact: true }).fill('Ines Maker')
  await maker.getByRole('button', { name: 'Save' }).click()
  await expect(maker.getByLabel('Name', { exact: true })).toHaveValue('Ines Maker')
  await page.getByLabel('Choose photo').setInputFiles('dist/web/apple-touch-icon.png')
  await expect(page.getByRole('img', { name: 'The maker' })).toBeVisible()
  await page.getByRole('button', { name: 'Send me a test email' }).click()
  await expect(page.getByText('Test email sent', { exact: true })).toBeVisible()
  await page.goto('/legal/imprint')
  await expect(page.getByText('Hill & Sons').first()).toBeVisible()
  await page.goto('/about')
  await expect(page.getByText('Ines Maker').first()).toBeVisible()
})

test('the seller publishes a price that the site shows, plans another and calls it off; subscribers keep theirs', async ({
  page,
  shop,
}) => {
  await shop.buyer()
  await openAdmin(page, shop, '/admin/purchases/prices')
  const history = page.getByRole('list', { name: /monthly$/ })
  await expect(history.getByText('the first price')).toBeVisible()
  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  const form = dialog(page)
  await form.getByLabel('Price in dollars', { exact: true }).fill('49.50')
  await form.getByLabel('Regular price in dollars (optional)').fill('59')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Publish' }).click()
  await expectToast(page, 'Published')
  await expect(page.getByText(/No one pays it yet\. .*keeps? \$39\.00\./)).toBeVisible()
  await expect(async () => {
    const answer = await page.request.get('/products/rebound-sigma-pro')
    const html = (await answer.text()).replaceAll('<!-- -->', '')
    expect(html).toContain('$49.50')
    expect(html).toContain('Regular price $59')
    // Twelve months cost $594 then: $204 less, which is no whole number of months.
    expect(html).toContain('Save $204')
    expect(html).not.toContain('months free')
  }).toPass()

  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  await form.getByLabel('Price in dollars', { exact: true }).fill('55')
  await form.getByLabel('From a day').check()
  const soon = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
  await form.getByLabel('From', { exact: true }).fill(soon)
  await form.getByRole('button', { name: 'Publish' }).click()
  const planned = history.getByRole('listitem').filter({ hasText: 'planned' })
  await expect(planned).toContainText('$55.00')
  // The present price, published again, replaces what was planned.
  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  await form.getByLabel('Price in dollars', { exact: true }).fill('49.50')
  await form.getByRole('button', { name: 'Publish' }).click()
  await expect(history.getByRole('listitem').filter({ hasText: 'called off' })).toContainText('$55.00')
  await expect(planned).toHaveCount(0)
  await expect(history.getByRole('listitem').first()).toContainText('$49.50current')
})

test('an unpaid renewal is retried and a link sent, a username corrected; deleting says what it does', async ({
  page,
  shop,
}) => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  const { email, id } = buyer.user
  await shop.advance(1, 'month')
  await shop.settle()
  await openAdmin(page, shop, `/admin/customers/${id}`)
  const owned = page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' })
  await chooseFromMenu(owned, 'Retry payment')
  await expectToast(page, 'The payment failed again')
  await chooseFromMenu(owned, 'Send pay link')
  await expectToast(page, 'Link sent')
  await chooseFromMenu(page.getByRole('region', { name: 'Access' }), 'Change username')
  await dialog(page).getByLabel('TradingView username').fill('the_right_name')
  await dialog(page).getByRole('button', { name: 'Change', exact: true }).click()
  await expectToast(page, 'Username changed')
  await expect(page.getByText('the_right_name').first()).toBeVisible()
  await expectAccessibleAndFitting(page)

  await page.goto(`/admin/purchases?q=${encodeURIComponent(email)}`)
  await chooseFromMenu(rowOf(page, email), 'Delete purchase')
  await expect(confirmDialog(page)).toContainText('The subscription ends today, and nothing is refunded.')
  await expect(confirmDialog(page)).toContainText('The sale leaves the lists and the exports; past figures stay.')
  await confirmDialog(page).getByRole('button', { name: 'Cancel' }).click()

  await page.goto(`/admin/users?q=${encodeURIComponent(email)}`)
  await chooseFromMenu(rowOf(page, email), 'Delete user')
  await expect(confirmDialog(page)).toContainText('A live subscription ends today, and nothing is refunded.')
  await expectAccessibleAndFitting(page)
})
