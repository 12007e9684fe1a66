import { freePort } from '#server/database/free-port.ts'
import { newsletterSubscriptions } from '#server/database/schema.ts'
import { openSmtp } from '#server/testing/smtp.ts'
import { confirmDialog, expectAccessibleAndFitting, expectToast, openAdmin } from './admin-helpers.ts'
import { expect, openShop, testWithShop } from './shop.ts'

/** Shop with the settings that newsletters require, and with a mail server. */
const test = testWithShop(async () => {
  const smtp = await openSmtp()
  const port = await freePort()
  const shop = await openShop({
    env: {
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      SMTP_URL: smtp.url,
      SUPPORT_EMAIL: 'help@shop.test',
      SELLER_NAME: 'Ada Lovelace',
      SELLER_STREET: 'Ring 1',
      SELLER_CITY: '4500 Solothurn',
      SELLER_COUNTRY: 'Switzerland',
    },
  })
  const closeShop = shop.close
  return Object.assign(shop, {
    smtp,
    async close() {
      await closeShop()
      await smtp.close()
    },
  })
})

test('the seller writes about a change, previews it, sends a test, and sends it to all readers', async ({
  page,
  shop,
}) => {
  const { smtp } = shop
  const readers = ['ada@example.com', 'bob@example.com', 'cyd@example.com']
  await shop.connection.db
    .insert(newsletterSubscriptions)
    .values(readers.map((email) => ({ email, confirmedAt: new Date() })))
  const mailsTo = (address: string) => smtp.accepted.filter(({ to }) => to === address)

  const admin = await openAdmin(page, shop, '/changelog')
  await page.getByRole('link', { name: 'Write to buyers' }).first().click()
  await expect(page.getByLabel('Subject')).not.toHaveValue('')
  await expect(page.getByLabel('Buyers of Rebound Sigma Pro')).toBeChecked()
  await expect(page.getByLabel('Newsletter subscribers')).not.toBeChecked()

  await page.getByLabel('Subject').fill('Exits are drawn')
  await page.getByLabel('Text').fill('Exits are **drawn** now. <b>Really</b>')
  await page.getByLabel('Newsletter subscribers').check()

  // Leaving with unsaved text asks first: by link, by Back, and on closing the tab.
  const editorUrl = page.url()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await expect(confirmDialog(page)).toContainText('Leave without saving')
  await confirmDialog(page).getByRole('button', { name: 'Cancel' }).click()

  await page.goBack()
  await expect(confirmDialog(page)).toContainText('Leave without saving')
  await confirmDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(editorUrl)

  const beforeUnload = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  expect((await beforeUnload).type()).toBe('beforeunload')
  await (await beforeUnload).dismiss()

  await page.getByRole('button', { name: 'Save draft' }).click()
  await expectToast(page, 'Draft saved')

  const textColors = new Set<string>()
  for (const theme of ['light', 'dark']) {
    const preview = page.frameLocator(`iframe[title="Preview, ${theme} theme"]`)
    const previewText = preview.getByText('Exits are drawn now. <b>Really</b>')
    await expect(previewText).toBeVisible()
    textColors.add(await previewText.evaluate((element) => getComputedStyle(element).color))
  }
  expect(textColors.size).toBe(2)

  await page.getByText('Plain text').click()
  await expect(page.getByText(/Ada Lovelace, Ring 1, 4500 Solothurn, Switzerland/).first()).toBeVisible()
  await expectAccessibleAndFitting(page)

  await page.getByLabel('Text').fill('Exits are **drawn** now. At last.')
  await page.getByRole('button', { name: 'Send a test to me' }).click()
  await expectToast(page, 'Save the draft first')

  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.locator('pre')).toContainText('Exits are drawn now. At last.')
  await page.getByRole('button', { name: 'Send a test to me' }).click()
  await expectToast(page, 'Test sent to you')
  expect(mailsTo(admin.user.email).at(-1)?.source).toContain('Subject: [Test] Exits are drawn')

  await expect(page.getByText('The saved version goes to 3 addresses')).toBeVisible()
  await page.getByRole('button', { name: 'Send now' }).click()
  await confirmDialog(page).getByRole('button', { name: 'Send to 3 addresses' }).click()

  await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('value', '3')
  await expect(page.getByText('sent', { exact: true })).toBeVisible()
  await expect(page.getByRole('definition').first()).toHaveText('3')
  for (const reader of readers) expect(mailsTo(reader)).toHaveLength(1)
  await expectAccessibleAndFitting(page)
})
