import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, expectAccessibleInBothThemes, logInAs, test } from './shop.ts'
import { declineCookies } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

async function findConfirmationLink(shop: TestShop, email: string) {
  const link = /http\S+\/confirm-address\?\S+/
  const mail = (await shop.mails()).findLast(({ to, text }) => to === email && link.test(text))
  return link.exec(mail?.text ?? '')?.[0] ?? ''
}

async function signUp(page: Page, email: string) {
  await page.goto('/auth')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  const form = page.getByRole('form', { name: 'Sign Up' })
  await form.getByLabel('Name').fill('Ada')
  await form.getByLabel('Email').fill(email)
  await form.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await form.getByRole('button').last().click()
  await expect(page).toHaveURL('/dashboard')
}

test('a new user confirms the address in the same browser and can then add a passkey', async ({
  page,
  context,
  shop,
}) => {
  const email = `ada-${Date.now()}@example.com`
  await signUp(page, email)
  const reminder = page.getByRole('complementary', { name: 'Confirm your address' })
  await expect(reminder).toContainText(`use the link in our first email to ${email}.`)
  await expectAccessibleInBothThemes(page)

  await reminder.getByRole('button', { name: 'Send again' }).click()
  await expect(reminder).toContainText(`we’ve sent another link to ${email}.`)

  await page.goto('/account')
  const confirmFirst = page.getByRole('region', { name: 'Confirm your address first' })
  await expect(confirmFirst).toContainText(email)
  await expect(page.getByRole('button', { name: /passkey|app/ })).toHaveCount(0)

  await confirmFirst.getByRole('button', { name: 'Send me the link' }).click()
  await expect(confirmFirst.getByRole('status')).toContainText('Open it in this browser')
  await expectAccessible(page)

  // Confirms in another tab; this tab notices when it is visible again.
  const mailbox = await context.newPage()
  await mailbox.goto(await findConfirmationLink(shop, email))
  await expectAccessible(mailbox)

  await mailbox.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(mailbox.getByRole('heading', { name: 'Your address is confirmed' })).toBeVisible()

  await page.bringToFront()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeVisible()
  await expect(confirmFirst).toBeHidden()

  await mailbox.getByRole('link', { name: 'Go to your dashboard' }).click()
  await expect(mailbox.getByRole('heading', { name: /Welcome Back/ })).toBeVisible()
  await expect(mailbox.getByRole('complementary', { name: 'Confirm your address' })).toHaveCount(0)
})

test('in another browser, the link asks for a new password, which ends all other logins', async ({ page, shop }) => {
  const unconfirmedUser = await shop.user()
  const { email } = unconfirmedUser.user
  await page.goto(await findConfirmationLink(shop, email))
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(page).toHaveURL(/\/reset-password\?first=confirm&token=/)
  await expect(page.getByText('ends every other way into this account')).toBeVisible()
  await expectAccessible(page)

  await page.getByLabel('New password', { exact: true }).fill('the owner’s own words')
  await page.getByLabel('Confirm password', { exact: true }).fill('the owner’s own words')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page).toHaveURL('/auth')

  expect(await unconfirmedUser.call(accounts.user, {})).toBeNull()

  await page.getByLabel('Email').first().fill(email)
  await page.getByLabel('Password', { exact: true }).first().fill('the owner’s own words')
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByRole('complementary', { name: 'Confirm your address' })).toHaveCount(0)

  await page.goto('/confirm-address?token=nothing')
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(page.getByRole('alert').first()).toContainText('This link no longer works.')
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('the link confirms the address in a logged-in browser and asks for a password elsewhere', async ({
    page,
    shop,
  }) => {
    const loggedInUser = await shop.user()
    const otherUser = await shop.user()

    await logInAs(page, loggedInUser, shop)
    await page.goto(await findConfirmationLink(shop, loggedInUser.user.email))
    await page.getByRole('button', { name: 'Confirm my address' }).click()
    await expect(page.getByText('Your address is confirmed.')).toBeVisible()
    expect(await loggedInUser.call(accounts.user, {})).toMatchObject({ isProven: true })

    await page.goto(await findConfirmationLink(shop, otherUser.user.email))
    await page.getByRole('button', { name: 'Confirm my address' }).click()
    await page.getByLabel('New password', { exact: true }).fill('the owner’s own words')
    await page.getByLabel('Confirm password', { exact: true }).fill('the owner’s own words')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page.getByText('Password reset successful.')).toBeVisible()
    expect(await otherUser.call(accounts.user, {})).toBeNull()
  })
})
