import { accounts } from '#contract/identity/accounts.ts'
import { expect, expectAccessible, logInAs, testWithOwnShop } from './shop.ts'
import { fillCard } from './visitors.ts'

/** Shop with Stripe Tax, and without anything that requires consent to cookies. */
const test = testWithOwnShop({ TAX: 'stripe', COOKIE_BANNER: 'if-needed' })

test('a buyer pays with tax, enters billing details, and cancels a renewed year with notice', async ({
  page,
  shop,
}) => {
  const externalRequests: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(shop.url)) externalRequests.push(request.url())
  })

  const buyer = await shop.user()
  await logInAs(page, buyer, shop)
  await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')

  const country = page.getByLabel('Country', { exact: true })
  const postalCode = page.getByLabel('Postal code')
  const continueButton = page.getByRole('button', { name: 'Continue to Payment' })

  await continueButton.click()
  await expect(country).toHaveAccessibleDescription(/Please choose your country/)

  await country.selectOption('United States')
  await continueButton.click()
  await expect(postalCode).toHaveAccessibleDescription('Please enter your postal code')

  await country.selectOption('Germany')
  await expect(postalCode).toHaveCount(0)
  await page.getByLabel('I’m buying for a company with a VAT ID').check()
  await expect(page.getByLabel('VAT ID', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('I’m buying for a company with a VAT ID').uncheck()
  await continueButton.click()

  const orderRegion = page.getByRole('region', { name: 'Your order' })
  await expect(orderRegion).toContainText('$39.00, incl. 19 % VAT ($6.23)')

  await test.step('the buyer can still correct the country', async () => {
    const changeButton = page.getByRole('button', { name: 'Change', exact: true })
    await expect(changeButton).toBeVisible()
    await changeButton.click()
    await expect(country).toHaveValue('DE')
    await continueButton.click()
    await expect(orderRegion).toContainText('$39.00, incl. 19 % VAT ($6.23)')
  })

  await page.getByRole('navigation', { name: 'Billing' }).getByRole('link', { name: 'Yearly' }).click()
  await expect(orderRegion).toContainText('$390.00, incl. 19 % VAT ($62.27)')
  await expect(page.getByRole('heading', { name: 'Payment', exact: true })).toBeVisible()

  await fillCard(page, '4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Pay $390.00' }).click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()

  await page.goto('/dashboard')
  const openBilling = page.getByRole('button', { name: 'Billing details' })
  const dialog = page.getByRole('dialog', { name: 'Billing details' })
  await page.getByRole('button', { name: /^Manage/ }).click()
  await page.getByRole('menuitem', { name: 'All Invoices' }).click()
  await openBilling.click()
  await expect(dialog.getByLabel('Country')).toHaveValue('DE')
  await dialog.getByLabel('Company').fill('Ada Trading GmbH')

  await dialog.getByLabel('VAT ID').fill('123')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByLabel('VAT ID')).toHaveAccessibleDescription('Please enter the VAT ID like DE123456789')

  await dialog.getByLabel('VAT ID').fill('de123456789')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()

  await openBilling.click()
  await expect(dialog.getByLabel('Company')).toHaveValue('Ada Trading GmbH')
  await expect(dialog.getByLabel('VAT ID')).toHaveValue('DE123456789')
  await expectAccessible(page)

  await shop.advance(1, 'year')
  await shop.advance(60, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await logInAs(page, buyer, shop)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Cancel Subscription' }).click()

  const notice = page.getByRole('alertdialog', { name: 'Cancel Subscription' })
  await expect(notice).toContainText('it ends with one month’s notice')
  await expect(notice).toContainText(/we refund \$29\d\.\d\d for the rest/)
  await notice.getByRole('button', { name: 'Cancel Subscription' }).click()
  await expect(page.getByText('Cancels at period end')).toBeVisible()

  // The site shows no cookie notice and does not look up the visitor's region.
  await expect(page.getByRole('region', { name: 'Cookie Notice' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Cookie settings' })).toHaveCount(0)
  expect(externalRequests).toEqual([])
})
