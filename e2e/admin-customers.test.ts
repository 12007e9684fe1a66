import { randomUUID } from 'node:crypto'
import { access } from '#contract/access/access.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { contact } from '#contract/site/contact.ts'
import { users } from '#server/database/schema.ts'
import { chooseFromMenu, expectAccessibleAndFitting, openAdmin, openMenu } from './admin-helpers.ts'
import { expect, expectAccessible, logInAs, test } from './shop.ts'

test('staff find a customer by payment, email or username and work on the customer page', async ({ page, shop }) => {
  test.slow()
  const buyer = await shop.buyer()
  const { email, id } = buyer.user
  const tradingViewUsername = `buyer_${randomUUID().slice(0, 8)}`
  await buyer.call(access.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername,
    apiKey: 'k',
    secretKey: 's',
  })
  await buyer.call(contact.send, { firstName: 'B', lastName: 'Uyer', email, message: 'Where is my invoice?' })
  await shop.queue.waitUntilIdle()

  await openAdmin(page, shop)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('/')
  const searchBox = page.getByRole('combobox', { name: /Name, email, TradingView username/ })
  for (const word of [buyer.purchase.paymentIntentId ?? '', email, tradingViewUsername]) {
    const searchResponse = page.waitForResponse((response) => response.url().includes(encodeURIComponent(word)))
    await searchBox.fill(word)
    await searchResponse
    await expect(page.getByRole('option').filter({ hasText: email })).toHaveCount(1)
  }
  await expect(page.getByText('1 person found', { exact: true })).toBeVisible()

  await searchBox.press('Enter')
  await expect(page).toHaveURL(`/admin/customers/${id}`)
  await expect(page.getByText('$39.00 on')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'Invoice paid, $39.00' })).toBeVisible()

  await page.getByLabel('New note').fill('Called about alerts')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Called about alerts' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add note' })).toBeFocused()

  await page.getByRole('button', { name: 'I’ve added them' }).click()
  await expect(page.getByText('access unlocked', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: /receipt/ }).click()
  await expect(page.getByRole('dialog').getByText('[link removed]')).toBeVisible()
  await page.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText('Resent', { exact: true })).toBeVisible()

  const purchaseItem = page.getByRole('listitem').filter({ hasText: /Rebound Sigma Pro.*since/ })
  await chooseFromMenu(purchaseItem, 'Extend')
  await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click()
  await expect(page.getByText('Extended', { exact: true })).toBeVisible()

  const customer = page.getByRole('region', { name: 'Customer' })
  await chooseFromMenu(customer, 'Send password link')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText('Link sent', { exact: true })).toBeVisible()
  await expectAccessibleAndFitting(page)

  const buyerApiCalls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/') && !request.url().includes('/api/admin/')) buyerApiCalls.push(request.url())
  })

  await page.getByRole('link', { name: 'See as buyer' }).click()
  await expect(page.getByText('Nothing can be changed here')).toContainText(email)
  await expect(page.getByRole('heading', { name: `Welcome Back, ${buyer.user.name}` })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cancel Subscription' })).toBeDisabled()
  await expectAccessible(page)
  expect(buyerApiCalls).toEqual([])

  await page.getByRole('link', { name: 'Back to the customer' }).click()
  await expect(page.getByText('Looked at the dashboard as the buyer')).toBeVisible()

  await chooseFromMenu(customer, 'Change email')
  const correctedEmail = email.replace('@', '.right@')
  await page.getByLabel('New email').fill(correctedEmail)
  await page.getByRole('dialog').getByRole('button', { name: 'Change email' }).click()
  await expect(page.getByRole('link', { name: correctedEmail })).toBeVisible()

  await page.getByRole('link', { name: 'Wrote: “Where is my invoice?”' }).click()
  await expect(page.getByText('1 message', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'B Uyer' }).click()
  await expect(page).toHaveURL(`/admin/customers/${id}`)

  await page.context().clearCookies()
  await logInAs(page, await shop.staff('support'), shop)
  await page.reload()
  await page.getByLabel('New note').fill('Support was here')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Support was here' })).toBeVisible()

  await expect((await openMenu(customer)).getByRole('menuitem')).toHaveText(['Send password link'])
  const purchaseMenu = await openMenu(purchaseItem)
  await expect(purchaseMenu.getByRole('menuitem')).toHaveText(['Cancel'])
  await purchaseMenu.getByRole('menuitem').click()
  const cancelDialog = page.getByRole('alertdialog')
  await expect(cancelDialog.getByText('They keep access until')).toBeVisible()
  await expect(cancelDialog.getByText('End now')).toHaveCount(0)
  await cancelDialog.getByRole('button', { name: 'Cancel purchase' }).click()

  await expect(page.getByText(/^Cancels on \w+ \d+, \d{4}$/).first()).toBeVisible()
  await expect(page.getByText('Cancels at period end', { exact: true })).toBeVisible()
  await expect(purchaseItem.getByRole('button')).toHaveCount(0)

  await page.getByRole('link', { name: 'See as buyer' }).click()
  await expect(page.getByText('Nothing can be changed here')).toContainText(correctedEmail)
  await page.getByRole('link', { name: 'Back to the customer' }).click()

  await page.getByRole('link', { name: 'Wrote: “Where is my invoice?”' }).click()
  await page.getByRole('button', { name: 'Reply B Uyer' }).click()
  await page.getByLabel('Your reply').fill('Attached to your receipt.')
  await page.getByRole('button', { name: 'Send reply' }).click()
  await expect(page.getByText('Reply sent', { exact: true })).toBeVisible()

  await page.goto('/admin/settings')
  await expect(page.getByText('Your role can’t open this')).toBeVisible()
})

test('the search finds people by words in any order, and also finds screens and actions', async ({ page, shop }) => {
  const people = Array.from({ length: 21 }, (_, index) => ({ name: 'Emil Khan', email: `emil.khan${index}@mail.test` }))
  await shop.connection.db.insert(users).values(people)
  await openAdmin(page, shop)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('/')
  const searchBox = page.getByRole('combobox', { name: /Name, email, TradingView username/ })

  await searchBox.fill('khan mail.test emil.khan17')
  await expect(page.getByText('1 person found', { exact: true })).toBeVisible()
  await searchBox.fill('Khan Emil')
  await expect(page.getByText('More than 20 people found', { exact: true })).toBeVisible()
  await expectAccessibleAndFitting(page)

  await page.getByRole('option', { name: 'Show all' }).click()
  await expect(page).toHaveURL('/admin/users?q=Khan%20Emil')
  await expect(page.getByText('21 users', { exact: true })).toBeVisible()

  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('/')
  await searchBox.fill('subscribers import')
  await page.getByRole('option', { name: 'Import subscribers' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/admin/users')

  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('/')
  await searchBox.fill('export ord')
  await expect(page.getByText('No people found', { exact: true })).toBeVisible()
  await searchBox.press('Enter')
  await expect(page.getByRole('heading', { name: 'Exports', level: 1 })).toBeVisible()
  await expectAccessibleAndFitting(page)

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export Orders' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^orders-\d{4}-\d\d-\d\d\.csv$/)
  await expect(page.getByText('Orders data exported successfully', { exact: true })).toBeVisible()
})

test('the seller decides fraud warnings and settles a failed refund in the purchase list', async ({ page, shop }) => {
  const { controls } = shop.sandbox
  const fraudulentBuyer = await shop.buyer()
  const honestBuyer = await shop.buyer()
  const unrefundedBuyer = await shop.buyer()
  const paymentIntentOf = ({ purchase }: typeof fraudulentBuyer) => purchase.paymentIntentId ?? ''
  for (const buyer of [fraudulentBuyer, honestBuyer]) await controls.warnOfFraud(paymentIntentOf(buyer))
  const { id: refundId } = await controls.refund(paymentIntentOf(unrefundedBuyer), 1000)
  await shop.settle()
  await controls.failRefund(refundId)
  await shop.settle()

  await openAdmin(page, shop, '/admin/purchases?need=fraud_warnings')
  const rowOf = ({ user }: typeof fraudulentBuyer) => page.getByRole('row').filter({ hasText: user.email })
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await chooseFromMenu(rowOf(fraudulentBuyer), 'Refund and end')
  await dialog.getByRole('button', { name: 'Refund and end' }).click()
  await expect(rowOf(fraudulentBuyer)).toBeHidden()
  await chooseFromMenu(rowOf(honestBuyer), 'Keep, it’s no fraud')
  await expect(rowOf(honestBuyer)).toBeHidden()

  await page.goto('/admin/purchases?need=failed_refunds')
  await chooseFromMenu(rowOf(unrefundedBuyer), 'Paid another way')
  await expect(dialog).toContainText('Have you sent $10.00')
  await dialog.getByRole('button', { name: 'Yes, I paid it' }).click()
  await expect(rowOf(unrefundedBuyer)).toBeHidden()

  expect(await fraudulentBuyer.call(purchases.list, {})).toMatchObject([{ endedBecause: 'refunded' }])
  expect(await honestBuyer.call(purchases.list, {})).toMatchObject([{ status: 'active', refundedAmount: 0 }])
})
