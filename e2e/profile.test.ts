import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, logInAs, overflowOf, test } from './shop.ts'
import { chooseTheme, comeFrom, pauseAtLogin } from './visitors.ts'

/** The Edit Profile dialog, the Account page, and how sessions end. */

test.beforeEach(({ page }) => comeFrom(page, { country_code: 'US' }))

async function openProfile(page: Page, shop: TestShop, name = 'Ada') {
  const person = await shop.user({ name })
  await logInAs(page, person, shop)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: /^Profile/ }).click()
  return { person, dialog: page.getByRole('dialog', { name: 'Edit Profile' }) }
}

test('the profile is changed, and the greeting uses the new name right away', async ({ page, shop }) => {
  const { person, dialog } = await openProfile(page, shop)
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Ada')
  await dialog.getByLabel('Name', { exact: true }).fill('Countess')
  await dialog.getByLabel('TradingView Username').fill('ada_l')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Profile updated successfully', { exact: true })).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Welcome Back, Countess' })).toBeVisible()
  expect(await person.call(accounts.profile, {})).toMatchObject({ name: 'Countess', tradingViewUsername: 'ada_l' })
  await page.getByRole('button', { name: /^Profile/ }).click()
  await expect(dialog.getByLabel('TradingView Username')).toHaveValue('ada_l')
})

test('Cancel and Escape change nothing and restore focus', async ({ page, shop }) => {
  const { person, dialog } = await openProfile(page, shop)
  await dialog.getByLabel('Name', { exact: true }).fill('Somebody else')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: /^Profile/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Ada')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  expect(await person.call(accounts.user, {})).toEqual(person.user)
})

test('a toast above the dialog is reached by F8, closed and swiped away, and the dialog stays', async ({
  page,
  shop,
}) => {
  const { dialog } = await openProfile(page, shop)
  await page.route('**/api/user/profile', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { message: 'The shop is busy for a moment.' } })
      : route.continue(),
  )
  const toast = page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')
  const name = dialog.getByLabel('Name', { exact: true })
  await expect(name).toHaveValue('Ada')
  const fail = async () => {
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expect(toast).toBeVisible()
  }

  await fail()
  await toast.getByRole('button', { name: 'Close' }).click()
  await expect(toast).toHaveCount(0)
  await expect(dialog).toBeVisible()

  await fail()
  await page.keyboard.press('F8')
  await page.keyboard.press('Tab')
  await expect(toast).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(toast).toHaveCount(0)
  await expect(dialog).toBeVisible()

  await fail()
  // Waits for the end of the animation.
  await toast.hover()
  const box = await toast.boundingBox()
  const [x, y] = [(box?.x ?? 0) + 40, (box?.y ?? 0) + 20]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y, { steps: 5 })
  await page.mouse.up()
  await expect(toast).toHaveCount(0)
  await expect(dialog).toBeVisible()

  // The toast outlives the dialog and stays above the next one.
  await fail()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(toast).toBeVisible()
  await page.getByRole('button', { name: /^Profile/ }).click()
  await toast.getByRole('button', { name: 'Close' }).click()
  await expect(toast).toHaveCount(0)
  await expect(dialog).toBeVisible()
})

test('a failed change says so and keeps what was typed', async ({ page, shop }) => {
  const { dialog } = await openProfile(page, shop)
  await page.route('**/api/user/profile', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { message: 'The shop is busy for a moment.' } })
      : route.continue(),
  )
  await dialog.getByLabel('Name', { exact: true }).fill('Countess')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  // Above the dialog, not behind it.
  const onTop = page.locator('[popover]:popover-open')
  await expect(onTop.getByText('Failed to update profile', { exact: true })).toBeVisible()
  await expect(onTop.getByText('The shop is busy for a moment.', { exact: true })).toBeVisible()
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Countess')
})

async function openAccount(page: Page, shop: TestShop) {
  const person = await shop.user()
  await logInAs(page, person, shop)
  await page.goto('/account')
  await expect(page.getByText('This device')).toHaveCount(1)
  return person
}

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const)
  test(`Edit Profile has its two fields; all else is one Account page, also for those who know it as /security; both are accessible and fit: ${theme}, ${width} px`, async ({
    page,
    shop,
  }) => {
    await page.setViewportSize({ width, height: 844 })
    await chooseTheme(page, theme)
    const { person, dialog } = await openProfile(page, shop)
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Ada')
    await expect(dialog.getByRole('textbox')).toHaveCount(2)
    await expect(dialog.getByRole('button')).toHaveText(['Cancel', 'Save Changes', ''])
    await expect(dialog.getByRole('heading')).toHaveText(['Edit Profile'])
    await expectAccessible(page)
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await dialog.getByRole('link', { name: 'Account' }).click()
    await expect(page).toHaveURL('/account')

    await page.goto('/dashboard')
    await page.getByRole('link', { name: /^Account/ }).click()
    await expect(page.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
    for (const part of ['Email address', 'Password', 'Where you’re logged in', 'Your data', 'Delete account'])
      await expect(page.getByRole('region', { name: part, exact: true })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Email address' })).toContainText(person.user.email)

    await page.goto('/security')
    await expect(page).toHaveURL('/account')
    await expect(page.getByText('This device')).toBeVisible()
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await expectAccessible(page)
    expect(await overflowOf(page)).toBe(0)

    const banner = page.getByRole('banner')
    if (width >= 768) {
      await banner.getByRole('button', { name: 'Ada' }).click()
      await expect(page.getByRole('menuitem')).toHaveText(['Dashboard', 'Logout'])
    } else {
      await banner.getByRole('button', { name: 'Open menu' }).click()
      await expect(banner.getByRole('link')).toHaveText([/./, 'Products', 'About', 'Dashboard'])
      await expect(banner.getByRole('button', { name: 'Logout' })).toBeVisible()
    }
  })

test('another device is listed and logged out, then all of them', async ({ page, shop }) => {
  const person = await openAccount(page, shop)
  const phone = shop.visitor()
  const { email } = person.user
  await phone.call(
    accounts.login,
    { email, password: person.password },
    { headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' } },
  )
  await page.reload()
  await expect(page.getByText('This device')).toHaveCount(1)
  await page.getByRole('button', { name: 'Log out Safari on iPhone' }).click()
  await expect(page.getByText('Safari on iPhone')).toBeHidden()
  expect(await phone.call(accounts.user, {})).toBeNull()

  await page.getByRole('button', { name: 'Log out everywhere' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Log In' })).toBeVisible()
  expect(await person.call(accounts.user, {})).toBeNull()
})

test('account data downloads as a file', async ({ page, shop }) => {
  const person = await openAccount(page, shop)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download my data' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('my-data.json')
  const data: unknown = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(data).toMatchObject({ account: { email: person.user.email } })
})

test('the account is deleted with the password and only with it', async ({ page, shop }) => {
  const person = await openAccount(page, shop)
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
  await expect(
    shop.visitor().call(accounts.login, { email: person.user.email, password: person.password }),
  ).rejects.toMatchObject({ status: 401 })
})

test('logging out from the dashboard goes home', async ({ page, shop }) => {
  await logInAs(page, await shop.user(), shop)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: /^Log Out/ }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Log In' })).toBeVisible()
})

test('a session that ends while a page is open leads to login and back', async ({ page, shop }) => {
  const { person, dialog } = await openProfile(page, shop)
  // Any request still in flight would notice the ended session before the click does.
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Ada')
  await expect(page.getByText('No products yet')).toBeVisible()
  const paused = pauseAtLogin(page)
  await person.call(accounts.logoutEverywhere, {})
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('You are logged out. Logging in again...', { exact: true })).toBeVisible()
  await paused
  await page.getByRole('banner').getByRole('link', { name: 'Log In' }).click()
  await page.getByLabel('Email', { exact: true }).fill(person.user.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('nothing one person loaded is shown to the next', async ({ page, shop }) => {
  const [first, second] = [await shop.buyer(), await shop.user({ name: 'Second' })]
  await logInAs(page, first, shop)
  await page.goto('/dashboard')
  await expect(page.getByText('Rebound Sigma Pro').first()).toBeVisible()
  await page.getByRole('button', { name: /^Log Out/ }).click()
  await expect(page).toHaveURL('/')
  await page.getByRole('banner').getByRole('link', { name: 'Log In' }).click()
  await page.getByLabel('Email', { exact: true }).fill(second.user.email)
  await page.getByLabel('Password', { exact: true }).fill(second.password)
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Welcome Back, Second' })).toBeVisible()
  await expect(page.getByText('No products yet')).toBeVisible()
})
