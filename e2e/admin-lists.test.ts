import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import {
  chooseFromMenu,
  confirmDialog,
  createCustomer,
  dialog,
  expectToast,
  openAdmin,
  openMenu,
  rowOf,
} from './admin-helpers.ts'
import { expect, test } from './shop.ts'

/** Expects exactly these fields in the dialog, on a phone and on a desktop. */
async function expectFields(page: Page, ...labels: string[]) {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    await expect(dialog(page).locator('label:visible')).toHaveText(labels)
  }
}

test('the seller adds, finds and deletes a user, and a refused form keeps its entries', async ({ page, shop }) => {
  const takenEmail = (await createCustomer(shop)).email
  const email = `grace-${randomUUID()}@example.com`
  const admin = await openAdmin(page, shop, '/admin/users')
  for (const column of ['Name', 'Email', 'Admin', 'Purchases', 'Registered'])
    await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add User' }).click()
  await expectFields(page, 'Email', 'Password', 'Name', 'Admin privileges')

  const create = dialog(page).getByRole('button', { name: 'Create User' })
  await page.getByLabel('Email', { exact: true }).fill(takenEmail)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await create.click()
  await expect(dialog(page).getByText('Password must be at least 8 characters long')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill('a long enough one')
  await create.click()

  await expectToast(page, 'Failed to create user')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Grace Hopper')

  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Admin privileges').check()
  const createRequest = page.waitForRequest('**/api/admin/users')
  await create.click()
  expect((await createRequest).postDataJSON()).toEqual({
    email,
    password: 'a long enough one',
    name: 'Grace Hopper',
    isAdmin: true,
  })
  await expectToast(page, 'User created successfully')
  await expect(dialog(page)).toHaveCount(0)

  const search = page.getByRole('searchbox', { name: 'Search by email or name' })
  await search.fill(email.toUpperCase())
  const row = rowOf(page, email)
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Grace Hopper')
  await expect(row).toContainText('Admin')
  await expect(row).toContainText('0 / 0')

  const actions = row.getByRole('button', { name: `Actions for ${email}` })
  await actions.press('ArrowUp')
  await expect(page.getByRole('menuitem', { name: 'Delete user' })).toBeFocused()
  await page.keyboard.press('c')
  await expect(page.getByRole('menuitem', { name: 'Change role' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(actions).toBeFocused()

  await chooseFromMenu(row, 'Delete user')
  await expect(
    confirmDialog(page).getByText(`Delete user ${email}? This action cannot be undone.`, { exact: true }),
  ).toBeVisible()
  await confirmDialog(page).getByRole('button', { name: 'Delete user' }).click()
  await expectToast(page, 'User deleted successfully')
  await expect(page.getByText('No users found', { exact: true })).toBeVisible()
  expect(await admin.call(accountsAdmin.list, { q: email })).toEqual([])

  await search.fill(admin.user.email)
  const menu = await openMenu(rowOf(page, admin.user.email))
  await expect(menu.getByRole('menuitem', { name: 'Delete user' })).toBeDisabled()
})

test('the user list and the role dialog show unconfirmed addresses', async ({ page, shop }) => {
  const unconfirmedEmail = (await createCustomer(shop)).email
  const confirmedEmail = (await shop.verifiedUser()).user.email
  await openAdmin(page, shop, '/admin/users')
  await expect(rowOf(page, unconfirmedEmail)).toContainText('not confirmed')
  await expect(rowOf(page, confirmedEmail)).toBeVisible()
  await expect(rowOf(page, confirmedEmail)).not.toContainText('not confirmed')

  await chooseFromMenu(rowOf(page, unconfirmedEmail), 'Change role')
  await expect(dialog(page).getByText('Not confirmed.')).toBeVisible()
  await expect(dialog(page).getByRole('option', { name: 'Admin' })).toBeDisabled()
  await dialog(page).getByRole('link', { name: 'Send them a password link' }).click()
  const menu = await openMenu(page.getByRole('region', { name: 'Customer' }))
  await expect(menu.getByRole('menuitem', { name: 'Send password link' })).toBeVisible()

  await page.goto('/admin/users')
  await chooseFromMenu(rowOf(page, confirmedEmail), 'Change role')
  await expect(dialog(page).getByText('Not confirmed.')).toBeHidden()
  await dialog(page).getByLabel('Role', { exact: true }).selectOption('Support')
  await dialog(page).getByRole('button', { name: 'Change role' }).click()
  await expectToast(page, 'Role changed')
  await expect(rowOf(page, confirmedEmail)).toContainText('Support')
})

test('the seller finds a user by typing and adds a purchase with its exact price', async ({ page, shop }) => {
  const familyName = `family-${randomUUID()}`
  for (let child = 0; child < 8; child++) await shop.user({ email: `${child}-${familyName}@example.com` })
  const admin = await openAdmin(page, shop, '/admin/purchases')
  await page.getByRole('button', { name: 'Add Purchase' }).click()
  await expectFields(page, 'User', 'Product', 'Billing Type', 'Amount in dollars', 'Status', 'Kind')

  const userField = page.getByRole('combobox', { name: 'User' })
  const create = dialog(page).getByRole('button', { name: 'Create Purchase' })
  await page.getByLabel('Amount in dollars').fill('39')
  await userField.fill('nobody has this')
  await expect(page.getByRole('status').filter({ hasText: 'No users found' })).toBeVisible()
  await create.click()
  await expect(dialog(page).getByText('Please choose a user')).toBeVisible()

  await userField.fill(familyName)
  await expect(page.getByRole('status').filter({ hasText: '8 users found' })).toHaveCount(1)
  await userField.press('ArrowUp')
  const lastOption = page.getByRole('listbox', { name: 'Users' }).getByRole('option', { selected: true })
  await expect(lastOption).toContainText(`0-${familyName}`)

  // The list has scrolled to the selected option.
  expect(
    await lastOption.evaluate((option) => {
      const list = option.parentElement?.getBoundingClientRect()
      return list && option.getBoundingClientRect().bottom <= list.bottom
    }),
  ).toBe(true)

  await userField.press('Enter')
  await expect(dialog(page).getByText('Please choose a user')).toBeHidden()

  for (const [amount, errorMessage] of [
    ['-1', 'The amount cannot be negative'],
    ['abc', 'Please enter an amount like 39.99'],
    ['1e9', 'Please enter an amount like 39.99'],
    ['1000000', 'The amount is too high'],
    ['', 'Please enter an amount like 39.99'],
  ] as const) {
    await page.getByLabel('Amount in dollars').fill(amount)
    await create.click()
    await expect(dialog(page).getByText(errorMessage, { exact: true })).toBeVisible()
  }

  await page.getByLabel('Amount in dollars').fill('39.99')
  await page.getByLabel('Billing Type').selectOption('yearly')
  const createRequest = page.waitForRequest('**/api/admin/purchases')
  await create.click()
  expect((await createRequest).postDataJSON()).toEqual({
    userId: expect.any(String),
    productId: reboundSigmaPro.id,
    billingType: 'yearly',
    amount: 3999,
    status: 'active',
  })

  await expectToast(page, 'Purchase created successfully')
  const [createdPurchase] = await admin.call(purchasesAdmin.list, { q: familyName })
  expect(createdPurchase).toMatchObject({
    user: { email: `0-${familyName}@example.com` },
    amount: 3999,
    billingType: 'yearly',
    status: 'active',
  })
  await page.getByRole('searchbox').fill(familyName)
  await expect(rowOf(page, familyName)).toContainText('$39.99')
})

test('the seller finds, cancels and deletes a purchase, and learns if another admin was faster', async ({
  page,
  shop,
}) => {
  const { email } = await createCustomer(shop)
  const deletedElsewhere = await createCustomer(shop)
  const admin = await openAdmin(page, shop, '/admin/purchases')
  for (const column of ['User', 'Product', 'Billing', 'Amount', 'Status', 'Date', 'Action'])
    await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible()

  const search = page.getByPlaceholder('Search by email or name...')
  await search.fill(email.toUpperCase())
  const row = rowOf(page, email)
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Rebound Sigma Pro')

  await chooseFromMenu(row, 'Cancel')
  await expect(confirmDialog(page).getByText(`Cancel purchase for ${email}?`, { exact: true })).toBeVisible()
  await confirmDialog(page).getByRole('button', { name: 'Cancel purchase' }).click()
  await expectToast(page, 'Purchase cancelled successfully')
  await expect(row).toContainText('cancelled')

  const menu = await openMenu(row)
  await expect(menu.getByRole('menuitem')).toHaveText(['Delete purchase'])
  await menu.getByRole('menuitem').click()
  await expect(
    confirmDialog(page).getByText(`Permanently delete purchase for ${email}? This action cannot be undone.`, {
      exact: true,
    }),
  ).toBeVisible()
  await confirmDialog(page).getByRole('button', { name: 'Delete purchase' }).click()
  await expectToast(page, 'Purchase deleted successfully')
  await expect(page.getByText('No purchases found', { exact: true })).toBeVisible()

  await search.fill(deletedElsewhere.email)
  const openedMenu = await openMenu(rowOf(page, deletedElsewhere.email))
  await admin.call(purchasesAdmin.delete, { id: deletedElsewhere.purchase.id })
  await openedMenu.getByRole('menuitem', { name: 'Delete purchase' }).click()
  await confirmDialog(page).getByRole('button', { name: 'Delete purchase' }).click()
  await expectToast(page, 'Failed to delete purchase')
  await expectToast(page, 'Purchase not found')
})

test('purchases are filtered by status and billing, and come in pages of fifty', async ({ page, shop }) => {
  const emailPrefix = `crowd${randomUUID().slice(0, 8)}`
  await shop.connection.pool.query(
    `with added as (
       insert into users (email, name) select $1 || n || '@example.com', 'Crowd' from generate_series(1, 120) n returning id)
     insert into purchases (user_id, product_id, billing_type, price, status, ended_at)
     select id, $2, case when row_number() over () <= 30 then 'yearly' else 'monthly' end, 3900, 'expired', now() from added`,
    [emailPrefix, reboundSigmaPro.id],
  )

  await openAdmin(page, shop, '/admin/purchases')
  await page.getByRole('searchbox').fill(emailPrefix)
  await page.getByLabel('Status').selectOption('expired')
  await page.getByLabel('Billing', { exact: true }).selectOption('yearly')
  await expect(page.getByText('30 purchases', { exact: true })).toBeVisible()
  await page.getByLabel('Billing', { exact: true }).selectOption('')
  await expect(page.getByText('50 purchases so far', { exact: true })).toBeVisible()

  const moreButton = page.getByRole('button', { name: 'Load more' })
  const row = (number: number) => page.getByRole('row').nth(number)
  await moreButton.press('Enter')
  await expect(page.getByText('100 purchases so far', { exact: true })).toBeVisible()
  // The focus moves to the first new row.
  await expect(row(51)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(row(51).getByRole('link')).toBeFocused()

  await moreButton.click()
  await expect(page.getByText('120 purchases', { exact: true })).toBeVisible()
  await expect(moreButton).toBeHidden()
  await expect(row(101)).toBeFocused()

  await chooseFromMenu(row(120), 'Delete purchase')
  await confirmDialog(page).getByRole('button', { name: 'Delete purchase' }).click()
  await expect(page.getByText('119 purchases', { exact: true })).toBeVisible()
  await page.getByLabel('Status').selectOption('active')
  await expect(page.getByText('No purchases found', { exact: true })).toBeVisible()
})
