import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
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

/** At both widths, since a dialog on a phone could hide a field. */
async function expectFields(page: Page, ...labels: string[]) {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    await expect(dialog(page).locator('label:visible')).toHaveText(labels)
  }
}

test('a user is added, found, and deleted; what cannot be is said, and what was typed stays', async ({
  page,
  shop,
}) => {
  const taken = (await createCustomer(shop)).email
  const email = `grace-${randomUUID()}@example.com`
  const admin = await openAdmin(page, shop, '/admin/users')
  for (const column of ['Name', 'Email', 'Admin', 'Purchases', 'Registered'])
    await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add User' }).click()
  await expectFields(page, 'Email', 'Password', 'Name', 'Admin privileges')
  const create = dialog(page).getByRole('button', { name: 'Create User' })
  await page.getByLabel('Email', { exact: true }).fill(taken)
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
  const added = page.waitForRequest('**/api/admin/users')
  await create.click()
  expect((await added).postDataJSON()).toEqual({
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
  // By keyboard: arrows and letters move, Escape goes back to the button.
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
  expect(await admin.call(accounts.adminList, { q: email })).toEqual([])

  await search.fill(admin.user.email)
  const menu = await openMenu(rowOf(page, admin.user.email))
  await expect(menu.getByRole('menuitem', { name: 'Delete user' })).toBeDisabled()
})

test('the list and the role dialog say who has not confirmed their address', async ({ page, shop }) => {
  const stranger = (await createCustomer(shop)).email
  const confirmed = (await shop.verifiedUser()).user.email
  await openAdmin(page, shop, '/admin/users')
  await expect(rowOf(page, stranger)).toContainText('not confirmed')
  await expect(rowOf(page, confirmed)).toBeVisible()
  await expect(rowOf(page, confirmed)).not.toContainText('not confirmed')

  await chooseFromMenu(rowOf(page, stranger), 'Change role')
  await expect(dialog(page).getByText('Not confirmed.')).toBeVisible()
  await expect(dialog(page).getByRole('option', { name: 'Admin' })).toBeDisabled()
  await dialog(page).getByRole('link', { name: 'Send them a password link' }).click()
  const menu = await openMenu(page.getByRole('region', { name: 'Customer' }))
  await expect(menu.getByRole('menuitem', { name: 'Send password link' })).toBeVisible()

  await page.goto('/admin/users')
  await chooseFromMenu(rowOf(page, confirmed), 'Change role')
  await expect(dialog(page).getByText('Not confirmed.')).toBeHidden()
  await dialog(page).getByLabel('Role', { exact: true }).selectOption('Support')
  await dialog(page).getByRole('button', { name: 'Change role' }).click()
  await expectToast(page, 'Role changed')
  await expect(rowOf(page, confirmed)).toContainText('Support')
})

test('a purchase is added, to the exact cent, for a user found by typing', async ({ page, shop }) => {
  const family = `family-${randomUUID()}`
  for (let child = 0; child < 8; child++) await shop.user({ email: `${child}-${family}@example.com` })
  const admin = await openAdmin(page, shop, '/admin/purchases')
  await page.getByRole('button', { name: 'Add Purchase' }).click()
  await expectFields(page, 'User', 'Product', 'Billing Type', 'Amount in dollars', 'Status', 'Kind')
  const field = page.getByRole('combobox', { name: 'User' })
  const create = dialog(page).getByRole('button', { name: 'Create Purchase' })
  await page.getByLabel('Amount in dollars').fill('39')
  await field.fill('nobody has this')
  await expect(page.getByRole('status').filter({ hasText: 'No users found' })).toBeVisible()
  await create.click()
  await expect(dialog(page).getByText('Please choose a user')).toBeVisible()

  await field.fill(family)
  await expect(page.getByRole('status').filter({ hasText: '8 users found' })).toHaveCount(1)
  await field.press('ArrowUp')
  const last = page.getByRole('listbox', { name: 'Users' }).getByRole('option', { selected: true })
  await expect(last).toContainText(`0-${family}`)
  expect(
    await last.evaluate((option) => {
      const list = option.parentElement?.getBoundingClientRect()
      return list && option.getBoundingClientRect().bottom <= list.bottom
    }),
  ).toBe(true)
  await field.press('Enter')
  await expect(dialog(page).getByText('Please choose a user')).toBeHidden()
  for (const [typed, fault] of [
    ['-1', 'The amount cannot be negative'],
    ['abc', 'Please enter an amount like 39.99'],
    ['1e9', 'Please enter an amount like 39.99'],
    ['1000000', 'The amount is too high'],
    ['', 'Please enter an amount like 39.99'],
  ] as const) {
    await page.getByLabel('Amount in dollars').fill(typed)
    await create.click()
    await expect(dialog(page).getByText(fault, { exact: true })).toBeVisible()
  }
  await page.getByLabel('Amount in dollars').fill('39.99')
  await page.getByLabel('Billing Type').selectOption('yearly')
  const sent = page.waitForRequest('**/api/admin/purchases')
  await create.click()
  expect((await sent).postDataJSON()).toEqual({
    userId: expect.any(String),
    productId: reboundSigmaPro.id,
    billingType: 'yearly',
    amount: 3999,
    status: 'active',
  })
  await expectToast(page, 'Purchase created successfully')
  const [booked] = await admin.call(purchases.adminList, { q: family })
  expect(booked).toMatchObject({
    user: { email: `0-${family}@example.com` },
    amount: 3999,
    billingType: 'yearly',
    status: 'active',
  })
  await page.getByRole('searchbox').fill(family)
  await expect(rowOf(page, family)).toContainText('$39.99')
})

test('a purchase is found, cancelled, and deleted, unless another admin was faster', async ({ page, shop }) => {
  const [{ email }, gone] = [await createCustomer(shop), await createCustomer(shop)]
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

  await search.fill(gone.email)
  const slower = await openMenu(rowOf(page, gone.email))
  await admin.call(purchases.adminDelete, { id: gone.purchase.id })
  await slower.getByRole('menuitem', { name: 'Delete purchase' }).click()
  await confirmDialog(page).getByRole('button', { name: 'Delete purchase' }).click()
  await expectToast(page, 'Failed to delete purchase')
  await expectToast(page, 'Purchase not found')
})

test('purchases are filtered by status and billing, and come in pages of fifty', async ({ page, shop }) => {
  const mark = `crowd${randomUUID().slice(0, 8)}`
  await shop.connection.pool.query(
    `with added as (
       insert into users (email, name) select $1 || n || '@example.com', 'Crowd' from generate_series(1, 120) n returning id)
     insert into purchases (user_id, product_id, billing_type, price, status, ended_at)
     select id, $2, case when row_number() over () <= 30 then 'yearly' else 'monthly' end, 3900, 'expired', now() from added`,
    [mark, reboundSigmaPro.id],
  )
  await openAdmin(page, shop, '/admin/purchases')
  await page.getByRole('searchbox').fill(mark)
  await page.getByLabel('Status').selectOption('expired')
  await page.getByLabel('Billing', { exact: true }).selectOption('yearly')
  await expect(page.getByText('30 purchases', { exact: true })).toBeVisible()
  await page.getByLabel('Billing', { exact: true }).selectOption('')
  await expect(page.getByText('50 purchases so far', { exact: true })).toBeVisible()
  const more = page.getByRole('button', { name: 'Load more' })
  const row = (number: number) => page.getByRole('row').nth(number)
  await more.press('Enter')
  await expect(page.getByText('100 purchases so far', { exact: true })).toBeVisible()
  // The focus moves to the first new row.
  await expect(row(51)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(row(51).getByRole('link')).toBeFocused()
  await more.click()
  await expect(page.getByText('120 purchases', { exact: true })).toBeVisible()
  await expect(more).toBeHidden()
  await expect(row(101)).toBeFocused()
  await chooseFromMenu(row(120), 'Delete purchase')
  await confirmDialog(page).getByRole('button', { name: 'Delete purchase' }).click()
  await expect(page.getByText('119 purchases', { exact: true })).toBeVisible()
  await page.getByLabel('Status').selectOption('active')
  await expect(page.getByText('No purchases found', { exact: true })).toBeVisible()
})
