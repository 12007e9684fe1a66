import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { sql } from 'drizzle-orm'
import { accessRequests } from '#contract/access-requests.ts'
import { accounts } from '#contract/accounts.ts'
import { assets } from '#contract/assets.ts'
import { reboundSigmaPro } from '#contract/price-list.ts'
import { purchases } from '#contract/purchases.ts'
import { recommendedAssets } from '#server/database/schema.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessible, logInAs, test } from './shop.ts'
import { comeFrom } from './visitors.ts'

const productId = reboundSigmaPro.id

/** Opens a screen by the address that the spec and older links have. */
async function openAdmin(page: Page, shop: TestShop, screen = 'Assets') {
  const admin = await shop.admin()
  await logInAs(page, admin, shop)
  await page.goto(`/admin#${screen.toLowerCase()}`)
  await expect(page.getByRole('heading', { name: screen, level: 1 })).toBeVisible()
  return admin
}

const toast = (page: Page, text: string) => expect(page.getByText(text, { exact: true })).toBeVisible()
const dialog = (page: Page) => page.getByRole('dialog')
const question = (page: Page) => page.getByRole('alertdialog')
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

async function customer(shop: TestShop) {
  const mark = randomUUID().slice(0, 8)
  const buyer = await shop.user({ name: `Nora ${mark}`, email: `nora-${mark}@example.com` })
  const purchase = await bookPurchase(shop.connection, buyer.user.id)
  return { ...buyer, purchase, email: buyer.user.email }
}

async function asker(shop: TestShop) {
  const buyer = await customer(shop)
  const tradingViewUsername = `tv_${randomUUID().slice(0, 8)}`
  await buyer.call(accessRequests.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername,
    apiKey: `key-${tradingViewUsername}`,
    secretKey: 'very secret',
  })
  return { ...buyer, tradingViewUsername }
}

test('problems with the prices at Stripe are shown in the settings, with what to do', async ({
  page,
  shop,
}) => {
  await openAdmin(page, shop, 'Settings')
  const card = page.getByRole('group', { name: 'Payments' })
  await expect(card.getByText('Ready')).toBeVisible()
  await expect(card.getByText('no money moves')).toBeHidden()
  const archive = (active: boolean) =>
    shop.connection.db.execute(sql`
      update sandbox.objects set data = jsonb_set(data, '{active}', ${String(active)}::jsonb)
      where data->>'lookup_key' = 'rebound-sigma-pro-monthly'`)
  await archive(false)
  await page.reload()
  await expect(card.getByText('1 to do')).toBeVisible()
  await expect(card.getByText('but it is archived. A restart or npm run stripe -- setup')).toBeVisible()
  await expectAccessible(page)
  await archive(true)
})

test.describe('a non-admin', () => {
  test('is told so and sent home', async ({ page, shop }) => {
    await logInAs(page, await shop.user(), shop)
    await page.goto('/admin')
    await expect(page.getByText("You don't have admin access.", { exact: true })).toBeVisible()
    await expect(page).toHaveURL('/')
  })

  test('loads nothing of the admin area', async ({ page }) => {
    const files: string[] = []
    page.on('request', (request) => files.push(request.url()))
    await page.goto('/')
    await page.waitForLoadState('networkidle')
    expect(files.filter((file) => /admin|assets-tab|endless/.test(file))).toEqual([])
  })
})

test.describe('the overview', () => {
  test('shows figures from the database, with a table behind each chart', async ({ page, shop }) => {
    await customer(shop)
    await openAdmin(page, shop, 'Overview')
    const overview = page.getByRole('region', { name: 'Overview' })
    for (const figure of [
      'Monthly recurring revenue',
      'Active subscriptions',
      'New this month',
      'Lost this month',
      'Churn',
      'Failed payments',
      'Open access requests',
    ])
      await expect(overview.getByText(figure, { exact: true }).first()).toBeVisible()
    await page.getByText('Active subscriptions as a table').click()
    const months = page.getByRole('region', { name: 'Active subscriptions' }).getByRole('row')
    await expect(months).toHaveCount(13)
  })
})

test.describe('the assets tab', () => {
  test.beforeEach(async ({ shop }) => {
    await shop.connection.db.delete(recommendedAssets)
  })

  test('says when there are none, adds one in uppercase, and removes it', async ({ page, shop }) => {
    await openAdmin(page, shop)
    await expect(page.getByText('No assets added yet', { exact: true })).toBeVisible()
    await page.getByLabel('Ticker').pressSequentially('aapl')
    await expect(page.getByLabel('Ticker')).toHaveValue('AAPL')
    await page.getByLabel('Note (optional)').fill('Strong trend')
    const sent = page.waitForRequest('**/api/admin/recommended-assets')
    await page.getByRole('button', { name: 'Add Asset' }).click()
    expect((await sent).postDataJSON()).toEqual({
      productId,
      ticker: 'AAPL',
      note: 'Strong trend',
      sortOrder: 1,
      isActive: true,
    })
    await toast(page, 'Asset added successfully')
    const list = page.getByRole('list', { name: 'Recommended assets' })
    await expect(list.getByText('Strong trend')).toBeVisible()
    await expect(page.getByLabel('Ticker')).toHaveValue('')

    await page.getByRole('button', { name: 'Edit note of AAPL' }).click()
    await dialog(page).getByRole('textbox', { name: 'Note' }).fill('Weaker now')
    await dialog(page).getByRole('button', { name: 'Save Note' }).click()
    await toast(page, 'Note saved')
    await expect(list.getByText('Weaker now')).toBeVisible()

    await page.getByRole('button', { name: 'Delete AAPL' }).click()
    await question(page).getByRole('button', { name: 'Remove asset' }).click()
    await toast(page, 'Asset removed successfully')
    await expect(page.getByText('No assets added yet', { exact: true })).toBeVisible()
  })

  test('requires a ticker and refuses a duplicate', async ({ page, shop }) => {
    const admin = await openAdmin(page, shop)
    await page.getByRole('button', { name: 'Add Asset' }).click()
    await expect(page.getByLabel('Ticker')).toHaveAttribute('aria-invalid', 'true')
    await admin.call(assets.adminAdd, { productId, ticker: 'SPY' })
    await page.getByLabel('Ticker').fill('spy')
    await page.getByLabel('Ticker').press('Enter')
    await toast(page, 'Failed to add asset')
    await toast(page, 'SPY is already on the list')
  })

  test('is reordered with the keyboard and by dragging', async ({ page, shop }) => {
    const admin = await shop.admin()
    for (const ticker of ['AAA', 'BBB', 'CCC']) await admin.call(assets.adminAdd, { productId, ticker })
    await openAdmin(page, shop)
    const tickers = page.getByRole('list', { name: 'Recommended assets' }).locator('strong')
    await page.getByRole('button', { name: 'Move AAA' }).press('ArrowDown')
    await expect(tickers).toHaveText(['BBB', 'AAA', 'CCC'])
    await expect(page.getByRole('button', { name: 'Move AAA' })).toBeFocused()

    await page.getByRole('button', { name: 'Move CCC' }).hover()
    await page.mouse.down()
    await page.getByRole('button', { name: 'Move BBB' }).hover()
    await page.mouse.up()
    const stored = async () => (await admin.call(assets.adminList, {})).map(({ ticker }) => ticker)
    await expect.poll(stored).toEqual(['CCC', 'BBB', 'AAA'])

    // Down as well, and past a row in between.
    await page.getByRole('button', { name: 'Move CCC' }).hover()
    await page.mouse.down()
    await page.getByText('BBB', { exact: true }).hover()
    await page.getByText('AAA', { exact: true }).hover()
    await page.mouse.up()
    await expect.poll(stored).toEqual(['BBB', 'AAA', 'CCC'])
    await expect(tickers).toHaveText(['BBB', 'AAA', 'CCC'])
  })

  test('imports a pasted list and names the lines it cannot read', async ({ page, shop }) => {
    await openAdmin(page, shop)
    await page.getByRole('button', { name: 'Import list' }).click()
    const pasted = page.getByLabel('Assets to import')
    await pasted.fill('AAPL, Strong\n=cmd\nmsft')
    await expect(dialog(page).getByText('Line 2: Tickers have')).toBeVisible()
    await expect(dialog(page).getByRole('button', { name: 'Import' })).toBeDisabled()
    await pasted.fill('AAPL, Strong\nmsft')
    await expect(dialog(page).getByText('2 new')).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Import' }).click()
    await toast(page, '2 assets imported')
    await page.getByRole('button', { name: 'Mark as reviewed' }).click()
    await toast(page, 'List marked as reviewed')
  })

  test('hides an asset from owners and shows it again', async ({ page, shop }) => {
    const owner = await shop.buyer()
    const ticker = `OFF${randomUUID().slice(0, 4).toUpperCase()}`
    const admin = await openAdmin(page, shop)
    await admin.call(assets.adminAdd, { productId, ticker })
    const isSeen = async () => (await owner.call(assets.list, {})).some((asset) => asset.ticker === ticker)
    await page.reload()
    const shown = page.getByRole('checkbox', { name: `Shown to owners: ${ticker}` })
    await shown.click()
    await expect(shown).not.toBeChecked()
    await expect.poll(isSeen).toBe(false)
    await shown.click()
    await expect.poll(isSeen).toBe(true)
  })

  for (const [kind, title] of [
    ['buyers', 'Buyers'],
    ['orders', 'Orders'],
    ['forms', 'Access Requests'],
  ] as const) {
    test(`exports ${title} as a file named by kind and date`, async ({ page, shop }) => {
      const { email } = await customer(shop)
      await openAdmin(page, shop)
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: `Export ${title}` }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toMatch(new RegExp(String.raw`^${kind}-\d{4}-\d\d-\d\d\.csv$`))
      await toast(page, `${title} data exported successfully`)
      const csv = await readFile(await download.path(), 'utf8')
      expect(csv.includes(email)).toBe(kind !== 'forms')
    })
  }

  // At any hour, at least one of these zones is on a different date than UTC.
  for (const timezoneId of ['Pacific/Kiritimati', 'Etc/GMT+12'])
    test.describe(`in ${timezoneId}`, () => {
      test.use({ timezoneId })
      test("names an export with the seller's local date", async ({ page, shop }) => {
        await openAdmin(page, shop)
        const downloading = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Export Orders' }).click()
        const today = await page.evaluate(() => new Date().toLocaleDateString('sv-SE'))
        expect((await downloading).suggestedFilename()).toBe(`orders-${today}.csv`)
      })
    })

  test('lets an export be cancelled and says when one fails', async ({ page, shop }) => {
    await openAdmin(page, shop)
    let goOn: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await page.route('**/api/admin/export/orders', async (route) => {
      await held
      await route.abort()
    })
    await page.getByRole('button', { name: 'Export Orders' }).click()
    await expect(page.getByRole('progressbar', { name: 'Export of Orders' })).toBeVisible()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('progressbar')).toBeHidden()
    await expect(page.getByText('Export failed')).toBeHidden()
    goOn()
    await page.getByRole('button', { name: 'Export Orders' }).click()
    await toast(page, 'Export failed')
    await toast(page, 'Please try again.')
  })

  test('says how many reminders it will send before sending them', async ({ page, shop }) => {
    const { email } = await customer(shop)
    await openAdmin(page, shop)
    await page.getByRole('button', { name: 'Send Reminders' }).click()
    await expect(question(page).getByText(/Email \d+ buyers? without a TradingView username\?/)).toBeVisible()
    await question(page).getByRole('button', { name: 'Send reminders' }).click()
    await expect(page.getByText(/^Reminders queued for \d+ buyers?$/)).toBeVisible()
    const mails = await shop.mails()
    expect(mails.filter((mail) => mail.to === email && mail.subject.includes('TradingView'))).toHaveLength(1)
    await page.getByRole('button', { name: 'Send Reminders' }).click()
    await toast(page, 'Nobody to remind')
  })
})

test.describe('the users tab', () => {
  test('adds a user with admin privileges, finds them, and deletes them', async ({ page, shop }) => {
    const email = `grace-${randomUUID()}@example.com`
    const admin = await openAdmin(page, shop, 'Users')
    for (const column of ['Name', 'Email', 'Admin', 'Purchases', 'Registered'])
      await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Add User' }).click()
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill('a long enough one')
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
    await page.getByLabel('Admin privileges').check()
    await dialog(page).getByRole('button', { name: 'Create User' }).click()
    await toast(page, 'User created successfully')

    await page.getByRole('searchbox', { name: 'Search by email or name' }).fill(email.toUpperCase())
    const row = rowOf(page, email)
    await expect(row).toHaveCount(1)
    await expect(row).toContainText('Grace Hopper')
    await expect(row).toContainText('Admin')
    await expect(row).toContainText('0 / 0')
    await row.getByRole('button', { name: `Delete user ${email}` }).click()
    await expect(
      question(page).getByText(`Delete user ${email}? This action cannot be undone.`, { exact: true }),
    ).toBeVisible()
    await question(page).getByRole('button', { name: 'Delete user' }).click()
    await toast(page, 'User deleted successfully')
    await expect(page.getByText('No users found', { exact: true })).toBeVisible()
    expect(await admin.call(accounts.adminList, { q: email })).toEqual([])
  })

  test('does not let admins delete themselves', async ({ page, shop }) => {
    const { user } = await openAdmin(page, shop, 'Users')
    await page.getByRole('searchbox').fill(user.email)
    await expect(page.getByRole('button', { name: `Delete user ${user.email}` })).toBeDisabled()
  })

  test('says why a user could not be created and keeps what was typed', async ({ page, shop }) => {
    const { email } = await customer(shop)
    await openAdmin(page, shop, 'Users')
    await page.getByRole('button', { name: 'Add User' }).click()
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Name', { exact: true }).fill('Twin')
    await dialog(page).getByRole('button', { name: 'Create User' }).click()
    await expect(dialog(page).getByText('Password must be at least 8 characters long')).toBeVisible()
    await page.getByLabel('Password', { exact: true }).fill('a long enough one')
    await dialog(page).getByRole('button', { name: 'Create User' }).click()
    await toast(page, 'Failed to create user')
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Twin')
  })
})

test.describe('the purchases tab', () => {
  test('adds a purchase, to the exact cent, for a user found by typing', async ({ page, shop }) => {
    const { user } = await shop.user({ email: `ida-${randomUUID()}@example.com` })
    const admin = await openAdmin(page, shop, 'Purchases')
    await page.getByRole('button', { name: 'Add Purchase' }).click()
    await page.getByRole('combobox', { name: 'User' }).fill(user.email)
    await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
    await page.getByRole('combobox', { name: 'User' }).press('Enter')
    for (const [typed, fault] of [
      ['-1', 'The amount cannot be negative'],
      ['abc', 'Please enter an amount like 39.99'],
      ['1e9', 'Please enter an amount like 39.99'],
      ['1000000', 'The amount is too high'],
      ['', 'Please enter an amount like 39.99'],
    ] as const) {
      await page.getByLabel('Amount in dollars').fill(typed)
      await dialog(page).getByRole('button', { name: 'Create Purchase' }).click()
      await expect(dialog(page).getByText(fault, { exact: true })).toBeVisible()
    }
    await page.getByLabel('Amount in dollars').fill('39.99')
    await page.getByLabel('Billing Type').selectOption('yearly')
    await dialog(page).getByRole('button', { name: 'Create Purchase' }).click()
    await toast(page, 'Purchase created successfully')
    const [booked] = await admin.call(purchases.adminList, { q: user.email })
    expect(booked).toMatchObject({ amount: 3999, billingType: 'yearly', status: 'active' })
    await page.getByRole('searchbox').fill(user.email)
    await expect(rowOf(page, user.email)).toContainText('$39.99')
  })

  test('says how many users it found and highlights the one the arrow keys reach', async ({ page, shop }) => {
    const family = `family-${randomUUID()}`
    for (let child = 0; child < 8; child++) await shop.user({ email: `${child}-${family}@example.com` })
    await openAdmin(page, shop, 'Purchases')
    await page.getByRole('button', { name: 'Add Purchase' }).click()
    const field = page.getByRole('combobox', { name: 'User' })
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
  })

  test('requires an existing user', async ({ page, shop }) => {
    await openAdmin(page, shop, 'Purchases')
    await page.getByRole('button', { name: 'Add Purchase' }).click()
    await page.getByLabel('Amount in dollars').fill('39')
    await page.getByRole('combobox', { name: 'User' }).fill('nobody has this')
    await expect(page.getByRole('status').filter({ hasText: 'No users found' })).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Create Purchase' }).click()
    await expect(dialog(page).getByText('Please choose a user')).toBeVisible()
  })

  test('finds, cancels, and deletes a purchase', async ({ page, shop }) => {
    const { email } = await customer(shop)
    await openAdmin(page, shop, 'Purchases')
    for (const column of ['User', 'Product', 'Billing', 'Amount', 'Status', 'Date', 'Action'])
      await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible()
    await page.getByPlaceholder('Search by email or name...').fill(email.toUpperCase())
    const row = rowOf(page, email)
    await expect(row).toHaveCount(1)
    await expect(row).toContainText('Rebound Sigma Pro')

    await row.getByRole('button', { name: 'Cancel' }).click()
    await expect(question(page).getByText(`Cancel purchase for ${email}?`, { exact: true })).toBeVisible()
    await question(page).getByRole('button', { name: 'Cancel purchase' }).click()
    await toast(page, 'Purchase cancelled successfully')
    await expect(row).toContainText('cancelled')
    await expect(row.getByRole('button', { name: 'Cancel' })).toBeHidden()

    await row.getByRole('button', { name: `Delete purchase for ${email}` }).click()
    await expect(
      question(page).getByText(`Permanently delete purchase for ${email}? This action cannot be undone.`, {
        exact: true,
      }),
    ).toBeVisible()
    await question(page).getByRole('button', { name: 'Delete purchase' }).click()
    await toast(page, 'Purchase deleted successfully')
    await expect(page.getByText('No purchases found', { exact: true })).toBeVisible()
  })

  test('says so when another admin was faster', async ({ page, shop }) => {
    const { email, purchase } = await customer(shop)
    const admin = await openAdmin(page, shop, 'Purchases')
    await page.getByRole('searchbox').fill(email)
    await expect(page.getByText('1 purchase', { exact: true })).toBeVisible()
    await admin.call(purchases.adminDelete, { id: purchase.id })
    await rowOf(page, email).getByRole('button', { name: 'Delete purchase' }).click()
    await question(page).getByRole('button', { name: 'Delete purchase' }).click()
    await toast(page, 'Failed to delete purchase')
    await toast(page, 'Purchase not found')
  })

  test('refunds part of a payment through Stripe', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    const { email } = buyer.user
    await openAdmin(page, shop, 'Purchases')
    await page.getByRole('searchbox').fill(email)
    await rowOf(page, email).getByRole('button', { name: 'Refund' }).click()
    await expect(dialog(page).getByText('$39.00 of it is left.')).toBeVisible()
    await page.getByLabel('Partial refund').check()
    await page.getByLabel('Amount in dollars').fill('10.01')
    await dialog(page).getByRole('button', { name: 'Refund' }).click()
    await toast(page, 'Refund sent successfully')
    await expect(rowOf(page, email)).toContainText('$10.01 refunded')
    await rowOf(page, email).getByRole('button', { name: 'Refund' }).click()
    await expect(dialog(page).getByText('$28.99 of it is left; $10.01 of this purchase')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(rowOf(page, email)).toContainText('active')
  })

  test('filters by status and billing, and loads more on scroll', async ({ page, shop }) => {
    const mark = `crowd${randomUUID().slice(0, 8)}`
    await shop.connection.pool.query(
      `with added as (
         insert into users (email, name) select $1 || n || '@example.com', 'Crowd' from generate_series(1, 180) n returning id)
       insert into purchases (user_id, product_id, billing_type, amount, status, ended_at)
       select id, $2, case when row_number() over () <= 30 then 'yearly' else 'monthly' end, 3900, 'expired', now() from added`,
      [mark, productId],
    )
    await openAdmin(page, shop, 'Purchases')
    await page.getByRole('searchbox').fill(mark)
    await page.getByLabel('Status').selectOption('expired')
    await page.getByLabel('Billing', { exact: true }).selectOption('yearly')
    await expect(page.getByText('30 purchases', { exact: true })).toBeVisible()
    await page.getByLabel('Billing', { exact: true }).selectOption('')
    await expect(page.getByText(/\d+ purchases so far/)).toBeVisible()
    await expect(async () => {
      await page.mouse.wheel(0, 3000)
      await expect(page.getByText('180 purchases', { exact: true })).toBeVisible({ timeout: 500 })
    }).toPass()
    // All are loaded, only the virtual rows are mounted, and a change refetches only its own page.
    const row = (number: number) => page.locator(`tr[aria-rowindex="${number + 1}"]`).last()
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    await expect(row(180)).toBeVisible()
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    let asked = 0
    page.on('request', (request) => {
      if (request.method() === 'GET' && request.url().includes('/api/admin/purchases')) asked += 1
    })
    await row(180).getByRole('button', { name: 'Delete purchase' }).click()
    await question(page).getByRole('button', { name: 'Delete purchase' }).click()
    await expect(page.getByText('179 purchases', { exact: true })).toBeVisible()
    expect(asked).toBe(1)
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await expect(row(1)).toBeVisible()
    await page.getByLabel('Status').selectOption('active')
    await expect(page.getByText('No purchases found', { exact: true })).toBeVisible()
  })
})

test.describe('the access tab', () => {
  test('copies the username, reveals the key, and grants access', async ({ page, shop, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { email, tradingViewUsername } = await asker(shop)
    await openAdmin(page, shop, 'Access')
    const row = rowOf(page, tradingViewUsername)
    await expect(row).toContainText(/2[34] h left/)
    await row.getByRole('button', { name: `Copy ${tradingViewUsername}` }).click()
    await toast(page, 'Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(tradingViewUsername)

    await row.getByRole('button', { name: 'Reveal key' }).click()
    await dialog(page).getByRole('button', { name: 'Reveal' }).click()
    await expect(dialog(page).getByText(`key-${tradingViewUsername}`)).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Close' }).first().click()

    await row.getByRole('button', { name: 'Grant' }).click()
    await toast(page, 'Access granted')
    await expect(row).toBeHidden()
    await shop.afterUndo()
    const mails = await shop.mails()
    expect(mails.some((mail) => mail.to === email && /access/i.test(mail.subject))).toBe(true)

    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('searchbox').fill('reveal')
    await expect(page.getByRole('region', { name: 'Audit log' }).getByRole('row').nth(1)).toContainText(
      'reveal',
    )
  })

  test('refuses several requests with one reason', async ({ page, shop }) => {
    const [one, two] = [await asker(shop), await asker(shop)]
    await openAdmin(page, shop, 'Access')
    for (const { tradingViewUsername } of [one, two])
      await page.getByLabel(`Choose ${tradingViewUsername}`).check()
    await page.getByRole('button', { name: 'Refuse chosen' }).click()
    await dialog(page).getByRole('button', { name: 'Refuse' }).click()
    await expect(dialog(page).getByText('Please give a reason')).toBeVisible()
    await page.getByLabel('Reason').fill('This username does not exist.')
    await dialog(page).getByRole('button', { name: 'Refuse' }).click()
    await toast(page, 'Access refused')
    await expect(rowOf(page, one.tradingViewUsername)).toBeHidden()
    await expect(rowOf(page, two.tradingViewUsername)).toBeHidden()
  })

  test('marks overdue requests and lists access to revoke', async ({ page, shop }) => {
    const late = await asker(shop)
    const gone = await asker(shop)
    await shop.connection.pool.query(
      `update access_requests set submitted_at = now() - interval '30 hours' where trading_view_username = $1`,
      [late.tradingViewUsername],
    )
    const admin = await shop.admin()
    const queue = await admin.call(accessRequests.adminList, { limit: 200 })
    const { id = '' } =
      queue.find((request) => request.tradingViewUsername === gone.tradingViewUsername) ?? {}
    await admin.call(accessRequests.adminGrant, { ids: [id] })
    await admin.call(purchases.adminCancel, { id: gone.purchase.id })
    await openAdmin(page, shop, 'Access')
    await expect(rowOf(page, late.tradingViewUsername)).toContainText('Overdue by 6 h')
    const toRevoke = page.getByRole('region', { name: 'To revoke' })
    await toRevoke.getByRole('button', { name: `Mark as revoked ${gone.tradingViewUsername}` }).click()
    await question(page).getByRole('button', { name: 'Mark as revoked' }).click()
    await toast(page, 'Access revoked')
    await expect(toRevoke.getByText(gone.tradingViewUsername)).toBeHidden()
  })
})

const screens = [
  'Overview',
  'Assets',
  'Users',
  'Purchases',
  'Declarations',
  'Access',
  'Reviews',
  'Activity',
  'Settings',
]

test.describe('the admin area', () => {
  for (const theme of ['light', 'dark'])
    test(`passes axe on every screen, ${theme}`, async ({ page, shop }) => {
      test.slow()
      await customer(shop)
      await page.addInitScript((value) => localStorage.setItem('theme', value), theme)
      for (const screen of screens) {
        await openAdmin(page, shop, screen)
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
        await expectAccessible(page)
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
        expect(scrollWidth, screen).toBe(clientWidth)
      }
    })

  for (const [name, width] of [
    ['a phone', 360],
    ['a tablet', 768],
  ] as const)
    test(`fits ${name} on every screen, and no list scrolls sideways`, async ({ page, shop }) => {
      test.slow()
      await customer(shop)
      await asker(shop)
      await page.setViewportSize({ width, height: 740 })
      for (const screen of screens) {
        await openAdmin(page, shop, screen)
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
        const tooWide = await page
          .locator('html, main section')
          .evaluateAll((parts) => parts.filter((part) => part.scrollWidth > part.clientWidth).length)
        expect(tooWide, screen).toBe(0)
      }
    })

  test('is walked by tabs, links, keys, and addresses, which keep what was searched', async ({
    page,
    shop,
  }) => {
    const { email } = await customer(shop)
    await openAdmin(page, shop, 'Overview')
    await expect(page.getByRole('tab')).toHaveText(['Assets', 'Users', 'Purchases'])
    const navigation = page.getByRole('navigation', { name: 'Admin' })
    await expect(navigation.getByRole('link')).toHaveText([
      'Overview',
      'Assets',
      'Users',
      'Purchases',
      'Access',
      'Messages',
      'Activity',
      'Settings',
    ])
    await page.getByRole('tab', { name: 'Assets' }).press('ArrowRight')
    await expect(page).toHaveURL('/admin/users')
    await expect(page.getByRole('tab', { name: 'Users', selected: true })).toBeFocused()
    // Typed on the open page.
    await page.evaluate(() => {
      location.hash = '#purchases'
    })
    await expect(page).toHaveURL('/admin/purchases')
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
    await dialog(page).getByLabel('Shortcuts with single keys are on').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await expect(dialog(page)).toBeHidden()
    await page.goto('/admin/nowhere')
    await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
  })

  test('has a bar on a phone, below the cookie notice, which opens the other areas', async ({
    page,
    shop,
  }) => {
    await comeFrom(page, { country_code: 'DE' })
    await page.setViewportSize({ width: 390, height: 800 })
    await openAdmin(page, shop, 'Overview')
    await expect(page.getByRole('region', { name: 'Cookie Notice' })).toBeVisible()
    const bar = page.getByRole('navigation', { name: 'Admin' })
    await expect(bar.getByRole('link')).toHaveText(['Overview', 'Users', 'Purchases', 'Access'])
    await bar.getByRole('button', { name: 'More' }).click()
    await bar.getByRole('link', { name: 'Settings' }).click()
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await expect(bar.getByRole('link', { name: 'Settings' })).toBeHidden()
  })
})
