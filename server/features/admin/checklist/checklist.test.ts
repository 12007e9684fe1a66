import { expect, test } from 'vitest'
import { checklist } from '#contract/admin/checklist.ts'
import { settings } from '#contract/admin/settings.ts'
import { openShop } from '#server/testing/open-shop.ts'

test('the checklist shows what is missing, and lines with a default are done once confirmed', async () => {
  await using shop = await openShop({ env: { SUPPORT_EMAIL: 'help@shop.test' } })
  const admin = await shop.admin()
  const doneKeys = async () =>
    ((await admin.call(checklist.adminShow, {})) ?? []).filter(({ isDone }) => isDone).map(({ key }) => key)
  expect(await admin.call(checklist.adminShow, {})).toHaveLength(14)
  expect(await doneKeys()).toEqual(['support_address'])
  await admin.call(checklist.adminConfirm, { key: 'prices' })
  await admin.call(settings.adminSave, {
    SELLER_NAME: 'Mia Muster',
    SELLER_STREET: 'Musterweg 1',
    SELLER_CITY: '4500 Solothurn',
    SELLER_COUNTRY: 'Switzerland',
  })
  expect(await doneKeys()).toEqual(['imprint', 'support_address', 'prices'])
  await expect(admin.call(checklist.adminConfirm, { key: 'payments' })).rejects.toMatchObject({ status: 400 })
})
