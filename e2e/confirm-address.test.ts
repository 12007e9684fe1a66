import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, expectAccessibleInBothThemes, logInAs, test } from './shop.ts'
import { declineCookies } from './visitors.ts'

/** Sign-up, confirmation of the address, and features that wait for it. */

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

async function linkFor(shop: TestShop, email: string) {
  const link = /http\S+\/confirm-address\?\S+/
  const sent = (await shop.mails()).findLast(({ to, text }) => to === email && link.test(text))
  return link.exec(sent?.text ?? '')?.[0] ?? ''
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

test('someone signs up, opens the link in the same browser, and may then add a passkey', async ({
  page,
  context,
  shop,
}) => {
  const email = `ada-${Date.now()}@example.com`
  await signUp(page, email)
  const line = page.getByRole('complementary', { name: 'Confirm your address' })
  await expect(line).toContainText(`use the link in our first email to ${email}.`)
  await expectAccessibleInBothThemes(page)
  await line.getByRole('button', { name: 'Send again' }).click()
  await expect(line).toContainText(`we’ve sent another link to ${email}.`)

  await page.goto('/account')
  const first = page.getByRole('region', { name: 'Confirm your address first' })
  await expect(first).toContainText(email)
  await expect(page.getByRole('button', { name: /passkey|app/ })).toHaveCount(0)
  await first.getByRole('button', { name: 'Send me the link' }).click()
  await expect(first.getByRole('status')).toContainText('Open it in this browser')
  await expectAccessible(page)

  // Confirms in another tab; this tab notices when it is visible again.
  const mailbox = await context.newPage()
  await mailbox.goto(await linkFor(shop, email))
  await expectAccessible(mailbox)
  await mailbox.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(mailbox.getByRole('heading', { name: 'Your address is confirmed' })).toBeVisible()
  await page.bringToFront()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeVisible()
  await expect(first).toBeHidden()

  await mailbox.getByRole('link', { name: 'Go to your dashboard' }).click()
  await expect(mailbox.getByRole('heading', { name: /Welcome Back/ })).toBeVisible()
  await expect(mailbox.getByRole('complementary', { name: 'Confirm your address' })).toHaveCount(0)
})

test('in another browser, the link asks for a password, which ends every other way in; a link that no longer works says so', async ({
  page,
  shop,
}) => {
  const stranger = await shop.user()
  const { email } = stranger.user
  await page.goto(await linkFor(shop, email))
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(page).toHaveURL(/\/reset-password\?first=confirm&token=/)
  await expect(page.getByText('ends every other way into this account')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('New password', { exact: true }).fill('the owner’s own words')
  await page.getByLabel('Confirm password', { exact: true }).fill('the owner’s own words')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page).toHaveURL('/auth')
  expect(await stranger.call(accounts.user, {})).toBeNull()
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

  test('the link confirms the address where one is logged in, and asks for a password elsewhere', async ({
    page,
    shop,
  }) => {
    const [here, elsewhere] = [await shop.user(), await shop.user()]
    await logInAs(page, here, shop)
    await page.goto(await linkFor(shop, here.user.email))
    await page.getByRole('button', { name: 'Confirm my address' }).click()
    await expect(page.getByText('Your address is confirmed.')).toBeVisible()
    expect(await here.call(accounts.user, {})).toMatchObject({ isProven: true })

    await page.goto(await linkFor(shop, elsewhere.user.email))
    await page.getByRole('button', { name: 'Confirm my address' }).click()
    await page.getByLabel('New password', { exact: true }).fill('the owner’s own words')
    await page.getByLabel('Confirm password', { exact: true }).fill('the owner’s own words')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page.getByText('Password reset successful.')).toBeVisible()
    expect(await elsewhere.call(accounts.user, {})).toBeNull()
  })
})
