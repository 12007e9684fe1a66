import { settings } from '#contract/admin/settings.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { choose, rowOf } from './admin-helpers.ts'
import { expect, expectAccessible, inOwnShop, logInAs } from './shop.ts'
import { comeFrom } from './visitors.ts'

/** A session without fresh proof is asked again before sensitive actions. */
const strictly = inOwnShop({ ADMIN_TWO_FACTOR: 'required' })

strictly('closing the question changes nothing and tells of no failure', async ({ page, shop }) => {
  await comeFrom(page, { country_code: 'US' })
  const admin = await shop.admin()
  const app = await addApp(shop, admin)
  const { user: customer } = await shop.user()
  await logInAs(page, admin, shop)
  await page.goto('/admin/users')
  shop.clock.advance({ minutes: 11 })
  const question = page.getByRole('dialog', { name: 'Please confirm that it’s you' })
  const close = async () => {
    await expect(question).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(question).toBeHidden()
  }

  const row = rowOf(page, customer.email)
  await choose(row, 'Delete user')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete user' }).click()
  await close()
  await expect(row).toBeVisible()

  await page.goto('/admin/assets')
  await page.getByRole('button', { name: 'Export Buyers' }).click()
  await close()
  await expect(page.getByRole('button', { name: 'Export Buyers' })).toBeEnabled()

  await page.goto(`/admin/customers/${customer.id}/dashboard`)
  await close()
  await expect(page.getByText('This page shows a customer’s data.')).toBeVisible()
  await expectAccessible(page)

  await page.goto('/admin/settings')
  const name = page.getByLabel('Name or company')
  await name.fill('A Thief')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await close()
  await expect(name).toHaveValue('A Thief')
  await expect(page.getByText(/fail/i)).toHaveCount(0)
  const { settings: kept } = await admin.call(settings.adminShow, {})
  expect(kept.map(({ value }) => value)).not.toContain('A Thief')

  // After the proof, the same button works.
  await page.getByRole('button', { name: 'Save' }).first().click()
  await question.getByLabel('Code from your authenticator app').fill(app.code())
  await question.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(async () => JSON.stringify(await admin.call(settings.adminShow, {}))).toContain('A Thief')
})
