import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessibleInBothThemes, logInAs, overflowOf, test } from './shop.ts'
import { declineCookies, interceptLoginRedirect, swipe } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

async function openProfile(page: Page, shop: TestShop, name = 'Ada') {
  const person = await shop.user({ name })

  await logInAs(page, person, shop)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: /^Profile/ }).click()
  return { person, dialog: page.getByRole('dialog', { name: 'Edit Profile' }) }
}

test('Edit Profile discards a cancelled change, keeps a failed one, and saves the new name', async ({ page, shop }) => {
  const { person, dialog } = await openProfile(page, shop)
  const name = dialog.getByLabel('Name', { exact: true })
  const openButton = page.getByRole('button', { name: /^Profile/ })
  const toast = page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')

  await name.fill('Somebody else')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(openButton).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(name).toHaveValue('Ada')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  expect(await person.call(accounts.user, {})).toEqual(person.user)

  await openButton.click()
  await page.route('**/api/user/profile', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { message: 'The shop is busy for a moment.' } })
      : route.continue(),
  )
  const saveAndFail = async () => {
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expect(toast).toBeVisible()
  }

  await name.fill('Countess')
  await saveAndFail()
  const toastAbove = page.locator('[popover]:popover-open')
  await expect(toastAbove.getByText('Failed to update profile', { exact: true })).toBeVisible()
  await expect(toastAbove.getByText('The shop is busy for a moment.', { exact: true })).toBeVisible()
  await expect(name).toHaveValue('Countess')

  await test.step('closing or swiping the toast leaves the dialog open', async () => {
    await toast.getByRole('button', { name: 'Close' }).click()
    await expect(toast).toHaveCount(0)
    await expect(dialog).toBeVisible()

    await saveAndFail()
    await page.keyboard.press('F8')
    await page.keyboard.press('Tab')
    await expect(toast).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(toast).toHaveCount(0)
    await expect(dialog).toBeVisible()

    await saveAndFail()
    // Hovering waits until the toast has stopped moving.
    await toast.hover()
    await swipe(page, toast, 60)
    await expect(toast).toHaveCount(0)
    await expect(dialog).toBeVisible()
  })

  await test.step('the toast stays visible when the dialog closes and opens again', async () => {
    await saveAndFail()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toBeHidden()
    await expect(toast).toBeVisible()

    await openButton.click()
    await toast.getByRole('button', { name: 'Close' }).click()
    await expect(toast).toHaveCount(0)
    await expect(dialog).toBeVisible()
  })

  await page.unroute('**/api/user/profile')
  await name.fill('Countess')
  await dialog.getByLabel('TradingView Username').fill('ada_l')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Profile updated successfully', { exact: true })).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Welcome Back, Countess' })).toBeVisible()
  expect(await person.call(accounts.profile, {})).toMatchObject({ name: 'Countess', tradingViewUsername: 'ada_l' })
  await openButton.click()
  await expect(dialog.getByLabel('TradingView Username')).toHaveValue('ada_l')
})

test('Edit Profile has two fields, and the Account page everything else; both are accessible', async ({
  page,
  shop,
}) => {
  const { person, dialog } = await openProfile(page, shop)
  const phone = { width: 360, height: 844 }
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Ada')
  await expect(dialog.getByRole('textbox')).toHaveCount(2)
  await expect(dialog.getByRole('button')).toHaveText(['Cancel', 'Save Changes', ''])
  await expect(dialog.getByRole('heading')).toHaveText(['Edit Profile'])
  await expectAccessibleInBothThemes(page)

  await page.setViewportSize(phone)
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  await dialog.getByRole('link', { name: 'Account' }).click()
  await expect(page).toHaveURL('/account')

  const banner = page.getByRole('banner')
  await banner.getByRole('button', { name: 'Open menu' }).click()
  await expect(banner.getByRole('link')).toHaveText([/./, 'Products', 'About', 'Help', 'Dashboard'])
  await expect(banner.getByRole('button', { name: 'Logout' })).toBeVisible()
  await banner.getByRole('link', { name: 'Dashboard' }).click()

  await page.setViewportSize({ width: 1280, height: 844 })
  await page.getByRole('link', { name: /^Account/ }).click()
  await expect(page.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
  for (const name of ['Email address', 'Password', 'Where you’re logged in', 'Your data', 'Delete account'])
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Email address' })).toContainText(person.user.email)

  await expect(page.getByText('This device')).toBeVisible()

  await page.getByRole('button', { name: 'Delete my account' }).click()
  await expectAccessibleInBothThemes(page)
  for (const size of [{ width: 1280, height: 844 }, phone]) {
    await page.setViewportSize(size)
    expect(await overflowOf(page)).toBe(0)
  }
})

test('a buyer downloads the data, logs out other devices, and deletes the account with the password', async ({
  page,
  shop,
}) => {
  const person = await shop.user()
  const { email } = person.user
  const phone = shop.visitor()
  await phone.call(
    accounts.login,
    { email, password: person.password },
    { headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' } },
  )

  await logInAs(page, person, shop)
  await page.goto('/account')
  await expect(page.getByText('This device')).toHaveCount(1)

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download my data' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('my-data.json')
  const data: unknown = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(data).toMatchObject({ account: { email } })

  await page.getByRole('button', { name: 'Log out Safari on iPhone' }).click()
  await expect(page.getByText('Safari on iPhone')).toBeHidden()
  expect(await phone.call(accounts.user, {})).toBeNull()

  await page.getByRole('button', { name: 'Log out everywhere' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Log In' })).toBeVisible()
  expect(await person.call(accounts.user, {})).toBeNull()

  await person.call(accounts.login, { email, password: person.password })

  await logInAs(page, person, shop)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Delete my account' }).click()

  const password = page.getByLabel('Your password')
  await expect(password).toBeFocused()
  await password.fill('not the password')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(password).toHaveAccessibleDescription('Wrong password')

  await password.fill(person.password)
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('Account deleted', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/')
  await expect(shop.visitor().call(accounts.login, { email, password: person.password })).rejects.toMatchObject({
    status: 401,
  })
})

test('a session that ends on an open page leads to login and back', async ({ page, shop }) => {
  const { person, dialog } = await openProfile(page, shop)
  // Waits for all requests, because a later response would notice the ended session before the click.
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Ada')
  await expect(page.getByText('No products yet')).toBeVisible()
  await page.waitForLoadState('networkidle')

  // The redirect is stopped, so that the page stays and can be checked; the test then opens the login itself.
  const loginRedirected = interceptLoginRedirect(page)
  await person.call(accounts.logoutEverywhere, {})
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('You are logged out. Logging in again...', { exact: true })).toBeVisible()

  await loginRedirected
  await page.getByRole('banner').getByRole('link', { name: 'Log In' }).click()
  await page.getByLabel('Email', { exact: true }).fill(person.user.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('after a logout, the next user of the browser sees nothing of the previous one', async ({ page, shop }) => {
  const previousUser = await shop.buyer()
  const nextUser = await shop.user({ name: 'Second' })
  await logInAs(page, previousUser, shop)
  await page.goto('/dashboard')
  await expect(page.getByText('Rebound Sigma Pro').first()).toBeVisible()

  await page.getByRole('button', { name: /^Log Out/ }).click()
  await expect(page).toHaveURL('/')
  await page.getByRole('banner').getByRole('link', { name: 'Log In' }).click()
  await page.getByLabel('Email', { exact: true }).fill(nextUser.user.email)
  await page.getByLabel('Password', { exact: true }).fill(nextUser.password)
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Welcome Back, Second' })).toBeVisible()
  await expect(page.getByText('No products yet')).toBeVisible()
})

test('a login as someone else in another tab closes what the first tab shows of the former user', async ({
  page,
  shop,
}) => {
  const { dialog, person } = await openProfile(page, shop)
  await dialog.getByLabel('Name', { exact: true }).fill('Not for Grace')
  const grace = await shop.user({ name: 'Grace' })
  const otherTab = await page.context().newPage()
  await otherTab.goto('/dashboard')
  await otherTab.getByRole('button', { name: /^Log Out/ }).click()
  await expect(otherTab).toHaveURL('/')
  await otherTab.getByRole('banner').getByRole('link', { name: 'Log In' }).click()
  await otherTab.getByLabel('Email', { exact: true }).fill(grace.user.email)
  await otherTab.getByLabel('Password', { exact: true }).fill(grace.password)
  await otherTab.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(otherTab.getByRole('heading', { name: 'Welcome Back, Grace' })).toBeVisible()
  await expect(dialog).toBeHidden()
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'Welcome Back, Grace' })).toBeVisible()
  expect(await grace.call(accounts.profile, {})).toMatchObject({ name: 'Grace' })
  await expect(person.call(accounts.profile, {})).rejects.toMatchObject({ status: 401 })
})
