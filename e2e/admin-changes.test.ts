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

/** Uses a separate shop, because changed settings, prices and clock times would affect other tests. */
const test = testWithOwnShop()

test.describe.configure({ mode: 'default' })

test('the overview lists what needs an answer, and saved settings appear on the site', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  const contactMessage = { firstName: 'Wri', lastName: 'Ter', email: 'writer@example.com', message: 'Hello?' }
  await shop.visitor().call(contact.send, contactMessage)
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

test('a new price appears on the site, subscribers keep theirs, and a planned price can be replaced', async ({
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
    const response = await page.request.get('/products/rebound-sigma-pro')
    const html = (await response.text()).replaceAll('<!-- -->', '')
    expect(html).toContain('$49.50')
    expect(html).toContain('Regular price $59')
    // Yearly saves $204 of 12 × $49.50 = $594, which is not a whole number of monthly prices.
    expect(html).toContain('Save $204')
    expect(html).not.toContain('months free')
  }).toPass()

  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  await form.getByLabel('Price in dollars', { exact: true }).fill('55')
  await form.getByLabel('From a day').check()
  const plannedDay = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
  await form.getByLabel('From', { exact: true }).fill(plannedDay)
  await form.getByRole('button', { name: 'Publish' }).click()
  const plannedPrice = history.getByRole('listitem').filter({ hasText: 'planned' })
  await expect(plannedPrice).toContainText('$55.00')

  // Publishing the current price again replaces the planned one.
  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  await form.getByLabel('Price in dollars', { exact: true }).fill('49.50')
  await form.getByRole('button', { name: 'Publish' }).click()
  await expect(history.getByRole('listitem').filter({ hasText: 'called off' })).toContainText('$55.00')
  await expect(plannedPrice).toHaveCount(0)
  await expect(history.getByRole('listitem').first()).toContainText('$49.50current')
})

test('the seller retries a failed renewal, corrects a username, and reads what a deletion would do', async ({
  page,
  shop,
}) => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  const { email, id } = buyer.user
  await shop.advance(1, 'month')
  await shop.settle()

  await openAdmin(page, shop, `/admin/customers/${id}`)
  const purchaseItem = page.getByRole('listitem').filter({ hasText: 'Rebound Sigma Pro' })
  await chooseFromMenu(purchaseItem, 'Retry payment')
  await expectToast(page, 'The payment failed again')
  await chooseFromMenu(purchaseItem, 'Send pay link')
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
