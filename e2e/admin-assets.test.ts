import { readFile } from 'node:fs/promises'
import { assets } from '#contract/access/assets.ts'
import { assetsAdmin, type ManagedAsset } from '#contract/access/assets-admin.ts'
import { recommendedAssets } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { confirmDialog, createCustomer, dialog, expectToast, openAdmin } from './admin-helpers.ts'
import { expect, expectAccessible, test } from './shop.ts'
import { boxOf } from './visitors.ts'

const productId = reboundSigmaPro.id

test.beforeEach(async ({ shop }) => {
  await shop.connection.db.delete(recommendedAssets)
})

test('the seller adds, notes, hides, imports, reviews, and removes assets', async ({ page, shop }) => {
  const owner = await shop.buyer()
  const isListedForOwner = async (ticker: string) =>
    (await owner.call(assets.list, {})).some((asset) => asset.ticker === ticker)

  await openAdmin(page, shop, '/admin/assets')
  await expect(page.getByText('No assets added yet', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add Asset' }).click()
  await expect(page.getByLabel('Ticker')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Ticker').pressSequentially('aapl')
  await expect(page.getByLabel('Ticker')).toHaveValue('AAPL')
  await page.getByLabel('Note (optional)').fill('Strong trend')

  const addRequest = page.waitForRequest('**/api/admin/recommended-assets')
  await page.getByRole('button', { name: 'Add Asset' }).click()
  expect((await addRequest).postDataJSON()).toEqual({
    productId,
    ticker: 'AAPL',
    note: 'Strong trend',
    sortOrder: 1,
    isActive: true,
  })

  await expectToast(page, 'Asset added successfully')
  const list = page.getByRole('list', { name: 'Recommended assets' })
  await expect(list.getByText('Strong trend')).toBeVisible()
  await expect(page.getByLabel('Ticker')).toHaveValue('')

  await page.getByLabel('Ticker').fill('aapl')
  await page.getByLabel('Ticker').press('Enter')
  await expectToast(page, 'Failed to add asset')
  await expectToast(page, 'AAPL is already on the list')

  await page.getByRole('button', { name: 'Edit note of AAPL' }).click()
  await dialog(page).getByRole('textbox', { name: 'Note' }).fill('Weaker now')
  await dialog(page).getByRole('button', { name: 'Save note' }).click()
  await expectToast(page, 'Note saved')
  await expect(list.getByText('Weaker now')).toBeVisible()

  const visibleCheckbox = page.getByRole('checkbox', { name: 'Shown to owners: AAPL' })
  await visibleCheckbox.click()
  await expect(visibleCheckbox).not.toBeChecked()
  await expect.poll(() => isListedForOwner('AAPL')).toBe(false)
  await visibleCheckbox.click()
  await expect.poll(() => isListedForOwner('AAPL')).toBe(true)

  await page.getByRole('button', { name: 'Import list' }).click()
  const importField = page.getByLabel('Assets to import')
  await importField.fill('AAPL, Strong\n=cmd\nmsft')
  await expect(dialog(page).getByText('Line 2: Tickers have')).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Import' })).toBeDisabled()

  await importField.fill('SPY, Strong\nmsft')
  await expect(dialog(page).getByText('2 new')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Import' }).click()
  await expectToast(page, '2 assets imported')

  await page.getByRole('button', { name: 'Mark as reviewed' }).click()
  await expectToast(page, 'List marked as reviewed')

  for (const ticker of ['SPY', 'MSFT', 'AAPL']) {
    await page.getByRole('button', { name: `Delete ${ticker}` }).click()
    await expect(list.getByText(ticker, { exact: true })).toBeHidden()
  }
  await expect(page.getByText('No assets added yet', { exact: true })).toBeVisible()
})

test('an asset is deleted without confirmation, and Undo restores its place in the list', async ({ page, shop }) => {
  const admin = await shop.admin()
  for (const ticker of ['^GSPC', 'BRK B', 'M&M'])
    await admin.call(assetsAdmin.add, { productId, ticker, note: `On ${ticker}` })
  const [, secondAsset] = await admin.call(assetsAdmin.list, {})
  await admin.call(assetsAdmin.switch, { id: secondAsset?.id ?? '', isActive: false })
  const assetsBefore = await admin.call(assetsAdmin.list, {})
  await openAdmin(page, shop)

  const tickers = page.getByRole('list', { name: 'Recommended assets' }).locator('strong')
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    await page.getByRole('button', { name: 'Delete BRK B' }).click()
    await expectToast(page, 'Asset removed successfully')
    await expect(tickers).toHaveText(['^GSPC', 'M&M'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, 'Asset restored')
    await expect(tickers).toHaveText(['^GSPC', 'BRK B', 'M&M'])
    // A restored asset has a new ID.
    const withoutId = ({ id: _, ...asset }: ManagedAsset) => asset
    const assetsAfter = await admin.call(assetsAdmin.list, {})
    expect(assetsAfter.map(withoutId)).toEqual(assetsBefore.map(withoutId))
  }
  await expectAccessible(page)
})

test('the list is reordered with the keyboard, by mouse and by touch', async ({ page, shop }) => {
  const admin = await shop.admin()
  for (const ticker of ['AAA', 'BBB', 'CCC']) await admin.call(assetsAdmin.add, { productId, ticker })
  await openAdmin(page, shop, '/admin/assets')

  const tickers = page.getByRole('list', { name: 'Recommended assets' }).locator('strong')
  const handle = (ticker: string) => page.getByRole('button', { name: `Move ${ticker}` })
  const storedTickers = async () => (await admin.call(assetsAdmin.list, {})).map(({ ticker }) => ticker)

  await handle('AAA').press('ArrowDown')
  await expect(tickers).toHaveText(['BBB', 'AAA', 'CCC'])
  await expect(handle('AAA')).toBeFocused()

  await handle('CCC').hover()
  await page.mouse.down()
  await handle('BBB').hover()
  await page.mouse.up()
  await expect.poll(storedTickers).toEqual(['CCC', 'BBB', 'AAA'])

  await handle('CCC').hover()
  await page.mouse.down()
  await page.getByText('BBB', { exact: true }).hover()
  await page.getByText('AAA', { exact: true }).hover()
  await page.mouse.up()
  await expect.poll(storedTickers).toEqual(['BBB', 'AAA', 'CCC'])
  await expect(tickers).toHaveText(['BBB', 'AAA', 'CCC'])

  const cdp = await page.context().newCDPSession(page)
  const touch = async (type: 'touchStart' | 'touchMove', ticker: string) => {
    const { x, y, width, height } = await boxOf(handle(ticker))
    const touchPoints = [{ x: x + width / 2, y: y + height / 2 }]
    await cdp.send('Input.dispatchTouchEvent', { type, touchPoints })
  }

  await touch('touchStart', 'BBB')
  await touch('touchMove', 'AAA')
  await touch('touchMove', 'CCC')
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expect.poll(storedTickers).toEqual(['AAA', 'CCC', 'BBB'])
})

test.describe('exports and reminders', () => {
  // Chooses a time zone whose current date differs from the UTC date.
  test.use({ timezoneId: new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati' })

  test('the seller exports lists, cancels an export, sees a failed one, and sends reminders', async ({
    page,
    shop,
  }) => {
    const { email } = await createCustomer(shop)
    await openAdmin(page, shop, '/admin/assets')
    const today = await page.evaluate(() => new Date().toLocaleDateString('sv-SE'))
    expect(new Date().toISOString()).not.toContain(today)

    for (const [kind, title] of [
      ['buyers', 'Buyers'],
      ['orders', 'Orders'],
      ['forms', 'Access Requests'],
    ] as const) {
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: `Export ${title}` }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toBe(`${kind}-${today}.csv`)
      await expectToast(page, `${title} data exported successfully`)
      const csv = await readFile(await download.path(), 'utf8')
      expect(csv.includes(email)).toBe(kind !== 'forms')
    }

    const exportReleased = Promise.withResolvers<void>()
    await page.route('**/api/admin/export/orders', async (route) => {
      await exportReleased.promise
      await route.abort()
    })
    await page.getByRole('button', { name: 'Export Orders' }).click()
    await expect(page.getByRole('progressbar', { name: 'Export of Orders' })).toBeVisible()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('progressbar')).toBeHidden()
    await expect(page.getByText('Export failed')).toBeHidden()
    exportReleased.resolve()

    await page.getByRole('button', { name: 'Export Orders' }).click()
    await expectToast(page, 'Export failed')
    await expectToast(page, 'Please try again.')

    await page.getByRole('button', { name: 'Send Reminders' }).click()
    await expect(confirmDialog(page).getByText(/Email \d+ buyers? without a TradingView username\?/)).toBeVisible()
    await confirmDialog(page).getByRole('button', { name: 'Send reminders' }).click()
    await expect(page.getByText(/^Reminders queued for \d+ buyers?$/)).toBeVisible()

    const mails = await shop.mails()
    expect(mails.filter((mail) => mail.to === email && mail.subject.includes('TradingView'))).toHaveLength(1)
    await page.getByRole('button', { name: 'Send Reminders' }).click()
    await expectToast(page, 'No reminders to send')
  })
})
