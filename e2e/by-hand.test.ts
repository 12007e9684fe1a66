import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { contact } from '#contract/site/contact.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { subscribeAtStripe } from '#server/testing/subscribe-at-stripe.ts'
import {
  chooseFromMenu,
  confirmDialog,
  dialog,
  expectAccessibleAndFitting,
  expectToast,
  findAccessId,
  openAdmin,
  rowOf,
} from './admin-helpers.ts'
import { expect, logInAs, test } from './shop.ts'

test('the seller books a gift with an end, and its buyer is emailed, sees the end and cancels', async ({
  page,
  shop,
}) => {
  const buyer = await shop.verifiedUser({ email: `friend-${randomUUID()}@example.com` })
  const { email } = buyer.user
  await openAdmin(page, shop, `/admin/purchases?q=${email}`)
  await page.getByRole('button', { name: 'Add Purchase' }).click()
  await page.getByRole('combobox', { name: 'User' }).fill(email)
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
  await page.getByRole('combobox', { name: 'User' }).press('Enter')

  await page.getByLabel('Billing Type').selectOption('yearly')
  await page.getByLabel('Kind').selectOption('gift')
  await page.getByText('More options').click()
  await expect(page.getByLabel('Amount in dollars')).toBeHidden()
  await page.getByLabel('Reason (optional)').fill('Helped with the first version')
  await page.getByLabel('Ends').fill('2031-05-01T12:00')
  await page.getByLabel('Tell the buyer by email').check()
  await expectAccessibleAndFitting(page)

  await dialog(page).getByRole('button', { name: 'Create Purchase' }).click()
  await expectToast(page, 'Purchase created successfully')
  await expect(rowOf(page, email)).toContainText('gift')
  await expect(rowOf(page, email)).toContainText('“Helped with the first version”')

  const mails = (await shop.mails()).filter(({ to }) => to === email)
  expect(mails.map(({ subject }) => subject)).toContain('You have access to Rebound Sigma Pro')

  await page.context().clearCookies()
  await logInAs(page, buyer, shop)
  await page.goto('/dashboard')
  const product = page.getByRole('region', { name: 'My Products' }).getByRole('listitem').first()
  await expect(product).toContainText('ends on')
  await expect(product.getByRole('link', { name: 'Subscribe', exact: true })).toBeVisible()

  await product.getByRole('button', { name: 'Download Invoice' }).click()
  await expectToast(page, 'There is no invoice for this purchase: it was not paid through this shop')

  await product.getByRole('button', { name: 'Cancel Subscription' }).click()
  await confirmDialog(page).getByRole('button', { name: 'Cancel Subscription' }).click()
  await expectToast(page, 'Subscription will be cancelled')
  await expect(product).toContainText('Cancels at period end')
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel', kind: 'gift' }])
})

test('the seller answers a message, exports newsletter addresses, removes and restores access', async ({
  page,
  shop,
}) => {
  const suffix = randomUUID().slice(0, 8)
  const email = `writer-${suffix}@example.com`
  await shop
    .visitor()
    .call(contact.send, { firstName: 'Wanda', lastName: suffix, email, message: 'Does it work in Zürich?' })
  await shop.visitor().call(newsletter.subscribe, { email })
  const admin = await openAdmin(page, shop, '/admin/messages?state=open')
  await page.getByRole('searchbox', { name: 'Search messages' }).fill(suffix)

  await rowOf(page, suffix).getByRole('button', { name: 'Reply' }).click()
  await dialog(page).getByLabel('Your reply').fill('It does.')
  await expectAccessibleAndFitting(page)
  await dialog(page).getByRole('button', { name: 'Send reply' }).click()
  await expectToast(page, 'Reply sent')
  await expect(page.getByText('No messages found')).toBeVisible()

  const reply = (await shop.mails()).find(({ to, subject }) => to === email && subject === 'Our answer to your message')
  expect(reply?.text).toContain('It does.')

  await page.getByLabel('State').selectOption('answered')
  await rowOf(page, suffix).getByRole('button', { name: 'Read' }).click()
  await expect(dialog(page).getByText(`by ${admin.user.email}`)).toBeVisible()
  await page.keyboard.press('Escape')

  await page.goto('/admin/messages/newsletter?state=asked')
  await page.getByRole('searchbox', { name: 'Search by email' }).fill(email)
  await expect(rowOf(page, email)).toContainText('not confirmed')

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export not confirmed' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^newsletter-asked-\d{4}-\d\d-\d\d\.csv$/)
  expect(await readFile(await download.path(), 'utf8')).toContain(email)
  await expectToast(page, 'Newsletter data exported successfully')

  const buyer = await shop.user()
  const purchase = await bookPurchase(shop.connection, buyer.user.id)
  await buyer.call(access.submitForPurchase, {
    purchaseId: purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername: `tv_${suffix}`,
    apiKey: 'k',
    secretKey: 's',
  })
  await admin.call(accessAdmin.grant, { ids: [await findAccessId(admin, buyer.user.email)] })
  await shop.endUndoMinute()
  await page.goto('/admin/access/people')
  await page.getByRole('searchbox').fill(`tv_${suffix}`)
  const person = rowOf(page, `tv_${suffix}`)
  await expect(person).toContainText('unlocked')

  await chooseFromMenu(person, 'Remove')
  await confirmDialog(page).getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'Access removed')
  await expect(person).toContainText('removed by you')

  await page.getByRole('combobox', { name: 'Access' }).selectOption('withheld')
  await chooseFromMenu(person, 'Restore')
  await expect(page.getByText('Recorded as added. The email goes out in a minute.')).toBeVisible()
  await expect.poll(async () => (await buyer.call(access.mine, {}))[0]?.state).toBe('unlocked')
})

test('an import reads a CSV file from Excel, asks about ambiguous dates and names ignored columns', async ({
  page,
  shop,
}) => {
  const file = [
    'email;name;Country;plan;paid until',
    `zoe-${randomUUID()}@example.com;Zoë Müller;CH;monthly;03/04/2099`,
    'nobody;Nobody;CH;monthly;03/04/2099',
  ]
  // The search keeps the list behind the dialog short.
  await openAdmin(page, shop, '/admin/users?q=zoe')
  await page.getByRole('button', { name: 'Import' }).click()
  await page
    .getByLabel('Choose a CSV file')
    .setInputFiles({ name: 'subscribers.csv', mimeType: 'text/csv', buffer: Buffer.from(file.join('\r\n'), 'latin1') })
  await expect(dialog(page).getByText('Which day is 03/04/2099?')).toBeFocused()
  await expectAccessibleAndFitting(page)

  await dialog(page).getByRole('button', { name: 'April 3, 2099' }).click()
  await expect(dialog(page).getByText('1 subscriber to book, 1 with a fault')).toBeFocused()
  await expect(dialog(page).getByText('Zoë Müller, monthly, until April 3, 2099')).toBeVisible()
  await expect(dialog(page).getByText('Not imported: “Country”.')).toBeVisible()
  await expect(dialog(page).getByText('Read as Windows-1252')).toBeVisible()
  await expectAccessibleAndFitting(page)
})

test('subscriptions that began at Stripe are taken over without an email', async ({ page, shop }) => {
  const suffix = randomUUID().slice(0, 8)
  const adaEmail = `ada-${suffix}@example.com`
  const bobEmail = `bob-${suffix}@example.com`
  const product = `Old indicator ${suffix}`
  const { priceId } = await subscribeAtStripe(shop.sandbox, { email: adaEmail, name: 'Ada', product })
  await subscribeAtStripe(shop.sandbox, { email: bobEmail, priceId })
  await subscribeAtStripe(shop.sandbox, {
    email: `eva-${suffix}@example.com`,
    product: `Euro ${suffix}`,
    currency: 'eur',
  })
  await shop.settle()

  const admin = await openAdmin(page, shop, '/admin/purchases/at-stripe')
  const subscriptionOf = (email: string) => page.getByRole('listitem').filter({ hasText: email })
  await expect(subscriptionOf(adaEmail)).toContainText('$29.00')
  await expect(subscriptionOf(adaEmail).getByRole('button')).toHaveCount(0)
  await expect(subscriptionOf(`eva-${suffix}`)).toContainText('It’s paid in EUR')

  await page.getByLabel(`What ${product} is`).selectOption('Rebound Sigma Pro, monthly')
  await expectAccessibleAndFitting(page)
  await subscriptionOf(adaEmail)
    .getByRole('button', { name: `Take over ${adaEmail}` })
    .click()
  await expectToast(page, '1 subscription taken over')
  await expect(subscriptionOf(adaEmail)).toHaveCount(0)
  await subscriptionOf(bobEmail).getByRole('button').click()
  await expect(subscriptionOf(bobEmail)).toHaveCount(0)

  for (const email of [adaEmail, bobEmail])
    expect(await admin.call(purchasesAdmin.list, { q: email })).toMatchObject([{ status: 'active', amount: 2900 }])
  expect((await shop.mails()).filter(({ to }) => to.includes(suffix))).toEqual([])
})

test('an import from a CSV file shows a preview and continues after a failed request', async ({ page, shop }) => {
  const suffix = randomUUID().slice(0, 8)
  const people = Array.from({ length: 60 }, (_, index) => `s${index}-${suffix}@example.com`)
  const file = [
    'E-mail;Name;TradingView username;Plan;Paid until',
    'nobody;Nobody;;monthly;2099-12-31',
    `late-${suffix}@example.com;Late;;yearly;2020-01-01`,
    ...people.map((email) => `${email};Ada;;monthly;2099-12-31`),
    `${people[0]};Ada;;monthly;2099-12-31`,
    // The dialog lists every fault, even more than a hundred.
    ...Array.from({ length: 120 }, (_, index) => `wrong ${index};Ada;;monthly;2099-12-31`),
  ].join('\r\n')
  const faultLineOf = (text: string) => dialog(page).getByRole('listitem').filter({ hasText: text })

  const admin = await openAdmin(page, shop, '/admin/users')
  await page.getByRole('button', { name: 'Import' }).click()
  await page
    .getByLabel('Choose a CSV file')
    .setInputFiles({ name: 'subscribers.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  await expect(dialog(page).getByText('60 subscribers to book, 123 with a fault')).toBeVisible()

  await expect(faultLineOf('nobody')).toContainText('“nobody” isn’t an email address. Please correct it in the file.')
  await expect(faultLineOf('late-')).toContainText('“Paid until” is in the past')
  // The last of the 60 people is in line 63, and the repeated one in line 64.
  await expect(faultLineOf('The same email as in line 4')).toContainText('64')
  await expect(faultLineOf('“wrong 119” isn’t an email address')).toBeVisible()
  expect(await admin.call(purchasesAdmin.list, { q: suffix })).toEqual([])

  await page.getByLabel('Tell each of them by email').uncheck()
  // Fails the second request once; each request books up to 50 subscribers.
  let requestCount = 0
  await page.route('**/api/admin/imports', (route) => {
    requestCount += 1
    return requestCount === 2 ? route.fulfill({ status: 503, body: '' }) : route.continue()
  })

  await dialog(page).getByRole('button', { name: 'Import 60 subscribers' }).click()
  await expect(dialog(page).getByText('50 subscribers booked, 10 left. 503: Service Unavailable')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Continue' }).click()
  await expect(dialog(page).getByText('60 subscribers booked, 123 with a fault')).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Done' }).click()

  await page.getByRole('searchbox').fill(`s59-${suffix}`)
  await expect(page).toHaveURL(/q=s59/)
  // Active purchases / all purchases.
  await expect(rowOf(page, `s59-${suffix}`)).toContainText('1 / 1')
  expect((await admin.call(purchasesAdmin.list, { q: suffix, limit: 100 })).length).toBe(60)
  expect((await shop.mails()).filter(({ to }) => to.includes(suffix))).toEqual([])

  await rowOf(page, `s59-${suffix}`).getByRole('link').click()
  const downloading = page.waitForEvent('download')
  await chooseFromMenu(page.getByRole('region', { name: 'Customer' }), 'Export everything')
  const data = JSON.parse(await readFile(await (await downloading).path(), 'utf8'))
  expect(data).toMatchObject({ account: { email: `s59-${suffix}@example.com` }, purchases: [{}] })
})
