import type { Page } from '@playwright/test'
import { sql } from 'drizzle-orm'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import {
  chooseFromMenu,
  confirmDialog,
  createCustomer,
  createCustomerWithRequest,
  dialog,
  expectAccessibleAndFitting,
  expectToast,
  findAccessId,
  openAdmin,
  rowOf,
} from './admin-helpers.ts'
import { expect, expectAccessible, test } from './shop.ts'
import { stubRegionLookup } from './visitors.ts'

test('the settings show problems with the prices at Stripe and how to fix them', async ({ page, shop }) => {
  await openAdmin(page, shop, '/admin/settings')
  const paymentSettings = page.getByRole('group', { name: 'Payments' })
  await expect(paymentSettings.getByText('Test mode: you are not selling yet')).toBeVisible()
  await expect(paymentSettings.getByText('no money moves')).toBeHidden()
  const setPriceActive = (active: boolean) =>
    shop.connection.db.execute(sql`
      update sandbox.objects set data = jsonb_set(data, '{active}', ${String(active)}::jsonb)
      where data->>'lookup_key' = 'rebound-sigma-pro-monthly'`)

  await setPriceActive(false)

  await page.reload()
  await expect(paymentSettings.getByText('1 to do')).toBeVisible()
  await expect(paymentSettings.getByText('but it is archived. A restart fixes it.')).toBeVisible()
  await expectAccessible(page)
  await setPriceActive(true)
})

test.describe('the access queue', () => {
  test('the seller copies a username, reveals the key, unlocks, and undoes that within a minute', async ({
    page,
    shop,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { email, tradingViewUsername } = await createCustomerWithRequest(shop)

    await openAdmin(page, shop, '/admin/access')
    const row = rowOf(page, tradingViewUsername)
    await expect(row).toContainText(/2[34] h left/)

    await row.getByRole('button', { name: `Copy ${tradingViewUsername}` }).click()
    await expectToast(page, 'Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(tradingViewUsername)

    await chooseFromMenu(row, 'History and details')
    await dialog(page).getByRole('button', { name: 'Reveal key' }).click()
    await expect(dialog(page).getByText(`key-${tradingViewUsername}`)).toBeVisible()
    await expect(dialog(page).getByRole('list', { name: 'History' })).toContainText('Asked for access')
    await expectAccessibleAndFitting(page)
    await page.keyboard.press('Escape')

    await row.getByRole('button', { name: 'I’ve added them' }).click()
    await expect(page.getByText('Recorded as added. The email goes out in a minute.')).toBeVisible()
    await expect(row).toBeHidden()

    await page.getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, 'Undone')
    await row.getByRole('button', { name: 'I’ve added them' }).click()
    await expect(row).toBeHidden()
    await shop.endUndoMinute()
    const mails = (await shop.mails()).filter((mail) => mail.to === email && mail.subject.includes('access is ready'))
    expect(mails).toHaveLength(1)

    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('searchbox').fill('reveal')
    await expect(page.getByRole('region', { name: 'Audit log' }).getByRole('row').nth(1)).toContainText(
      'Looked at the exchange keys',
    )
  })

  test('the seller declines several people with one reason', async ({ page, shop }) => {
    const firstCustomer = await createCustomerWithRequest(shop)
    const secondCustomer = await createCustomerWithRequest(shop)

    await openAdmin(page, shop, '/admin/access?kind=unlock')
    for (const { tradingViewUsername } of [firstCustomer, secondCustomer])
      await page.getByLabel(`Select ${tradingViewUsername}`).check()
    await page.getByRole('button', { name: 'Decline 2' }).click()

    await dialog(page).getByRole('button', { name: 'Decline' }).click()
    await expect(dialog(page).getByText('Please give a reason')).toBeVisible()
    await page.getByLabel('Reason').fill('This username does not exist.')
    await dialog(page).getByRole('button', { name: 'Decline' }).click()
    await expectToast(page, 'Access declined')
    await expect(rowOf(page, firstCustomer.tradingViewUsername)).toBeHidden()
    await expect(rowOf(page, secondCustomer.tradingViewUsername)).toBeHidden()
  })

  test('marks overdue requests and lists people to remove', async ({ page, shop }) => {
    const overdueCustomer = await createCustomerWithRequest(shop)
    const cancelledCustomer = await createCustomerWithRequest(shop)
    await shop.connection.pool.query(
      `update access set asked_at = asked_at - interval '30.5 hours', todo_since = todo_since - interval '30.5 hours',
         due_at = due_at - interval '30.5 hours' where user_id = $1`,
      [overdueCustomer.user.id],
    )

    const admin = await shop.admin()
    await admin.call(accessAdmin.grant, { ids: [await findAccessId(admin, cancelledCustomer.email)] })
    await shop.endUndoMinute()
    await admin.call(purchasesAdmin.cancel, { id: cancelledCustomer.purchase.id })

    await openAdmin(page, shop, '/admin/access')
    await expect(rowOf(page, overdueCustomer.tradingViewUsername)).toContainText('Overdue by 6 h')

    await page.goto('/admin/overview')
    await page.getByRole('link', { name: /overdue access request/ }).click()
    await expect(page).toHaveURL('/admin/access?overdue=yes')
    await expect(rowOf(page, overdueCustomer.tradingViewUsername)).toBeVisible()
    await expect(rowOf(page, cancelledCustomer.tradingViewUsername)).toBeHidden()

    await page.getByRole('button', { name: 'Remove filter: Overdue' }).click()
    await expect(rowOf(page, cancelledCustomer.tradingViewUsername)).toBeVisible()

    await page.getByRole('button', { name: /^Remove \d+$/ }).click()
    await expect(page).toHaveURL('/admin/access?kind=lock')
    await expect(rowOf(page, overdueCustomer.tradingViewUsername)).toBeHidden()
    await rowOf(page, cancelledCustomer.tradingViewUsername).getByRole('button', { name: 'Removed' }).click()
    await confirmDialog(page).getByRole('button', { name: 'I’ve removed them' }).click()
    await expectToast(page, '1 person removed')
    await expect(rowOf(page, cancelledCustomer.tradingViewUsername)).toBeHidden()
  })
})

test.describe('the admin area', () => {
  const screens = [
    ['/admin/overview', 'Overview'],
    ['/admin/overview/figures', 'Figures'],
    ['/admin/assets', 'Assets'],
    ['/admin/users', 'Users'],
    ['/admin/purchases', 'Purchases'],
    ['/admin/purchases/payments', 'Payments'],
    ['/admin/purchases/prices', 'Prices'],
    ['/admin/access', 'Access'],
    ['/admin/access/people', 'People'],
    ['/admin/access/connection', 'Connection'],
    ['/admin/messages', 'Messages'],
    ['/admin/messages/newsletters', 'Newsletter'],
    ['/admin/messages/newsletter', 'Newsletter addresses'],
    ['/admin/messages/reviews', 'Reviews'],
    ['/admin/activity', 'Activity'],
    ['/admin/settings', 'Settings'],
  ] as const
  // Other tests fill these lists, so a search keeps them short.
  const searchedScreens = new Set(['/admin/users', '/admin/purchases', '/admin/access/people'])
  test('looks right on every screen, in both themes and at every width', async ({ page, shop }) => {
    test.slow()
    const { email } = await createCustomerWithRequest(shop)
    await openAdmin(page, shop)
    // Follows links, because a new document for each screen would take much longer.
    for (const [path, title] of screens) {
      await page.locator(`a[href="${path}"]`).filter({ visible: true }).first().click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { name: title, level: 1, exact: true })).toBeVisible()
      if (searchedScreens.has(path)) {
        await page.getByRole('searchbox').fill(email)
        await expect(page).toHaveURL(`${path}?q=${encodeURIComponent(email)}`)
      }
      await expectAccessibleAndFitting(page, [768, 360])
    }
  })

  const expectAssetsAndInbox = async (page: Page) => {
    await expect(page.getByRole('tab')).toHaveText(['Assets', 'Users', 'Purchases'])
    await expect(page.getByRole('tab', { selected: true })).toHaveText('Assets')
    await expect(page.getByRole('tabpanel').getByRole('button', { name: 'Add Asset' })).toBeVisible()
    await page.getByRole('link', { name: /needs? attention$/ }).click()
    await expect(page).toHaveURL('/admin/overview')
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Admin' }).getByRole('link').first()).toHaveText('Overview')
  }

  test('is navigated by tabs, links, keys and addresses, and keeps its filters in the address', async ({
    page,
    shop,
  }) => {
    const { email } = await createCustomer(shop)
    await createCustomerWithRequest(shop)
    await openAdmin(page, shop, '/')
    await page.getByRole('banner').getByRole('link', { name: 'Admin' }).click()
    await expect(page).toHaveURL('/admin')
    await expectAssetsAndInbox(page)

    await page.goto('/admin')
    const navigation = page.getByRole('navigation', { name: 'Admin' })
    await expect(navigation.getByRole('link')).toHaveText([
      'Overview',
      'Offer',
      'Access',
      'Messages',
      'Exports',
      'Activity',
      'Settings',
    ])
    await expect(navigation.getByRole('tab')).toHaveText(['Assets', 'Users', 'Purchases'])

    await page.getByRole('tab', { name: 'Assets' }).press('ArrowDown')
    await expect(page).toHaveURL('/admin/users')
    await expect(page.getByRole('tab', { name: 'Users', selected: true })).toBeFocused()

    await page.getByRole('tab', { name: 'Purchases' }).click()
    await page.getByRole('searchbox').fill(email)
    await expect(page).toHaveURL(/q=/)
    await page.getByLabel('Status').selectOption('active')
    await expect(page).toHaveURL(`/admin/purchases?q=${encodeURIComponent(email)}&status=active`)
    await expect(page.getByText('1 purchase', { exact: true })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('searchbox')).toHaveValue(email)
    await expect(page.getByLabel('Status')).toHaveValue('active')
    await expect(page.getByText('1 purchase', { exact: true })).toBeVisible()

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('y')
    await expect(page).toHaveURL('/admin/activity')
    await expect(page).toHaveTitle(/^Activity/)
    await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeFocused()

    await page.goBack()
    await expect(page.getByRole('searchbox')).toHaveValue(email)

    await page.keyboard.press('?')
    await expect(dialog(page).getByText('Go to Purchases')).toBeVisible()
    await dialog(page).getByLabel('Single-key shortcuts').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await expect(dialog(page)).toBeHidden()

    await page.goto('/admin/nowhere')
    await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
  })

  test('has a navigation bar on a phone, below the cookie notice', async ({ page, shop }) => {
    await stubRegionLookup(page, { country_code: 'DE' })
    await page.setViewportSize({ width: 390, height: 800 })
    await createCustomerWithRequest(shop)
    await openAdmin(page, shop)
    await expect(page.getByRole('region', { name: 'Cookie Notice' })).toBeVisible()
    await expectAssetsAndInbox(page)

    const navigationBar = page.getByRole('navigation', { name: 'Admin' })
    await expect(navigationBar.getByRole('link')).toHaveText(['Overview'])
    await expect(navigationBar.getByRole('tab')).toHaveText(['Assets', 'Users', 'Purchases'])

    await navigationBar.getByRole('button', { name: 'More' }).click()
    await navigationBar.getByRole('link', { name: 'Settings' }).click()
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await expect(navigationBar.getByRole('link', { name: 'Settings' })).toBeHidden()
  })
})
