import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { stepUp } from '#contract/identity/step-up.ts'
import { contract } from '#contract/index.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { production } from '#server/testing/production.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { ...production, ADMIN_TWO_FACTOR: 'optional' } })
})
afterAll(() => shop.close())

const newcomer = (number: number) => ({
  email: `newcomer${number}@example.com`,
  password: 'nobody would guess it',
  name: 'Newcomer',
  isAdmin: true,
})

describe('a call that a thief would make', () => {
  test('is allowed within ten minutes of the login, and later only after entering the password again', async () => {
    const admin = await shop.admin()
    await admin.call(accountsAdmin.add, newcomer(1))
    shop.clock.advance({ minutes: 11 })
    await expect(admin.call(accountsAdmin.add, newcomer(2))).rejects.toMatchObject({
      status: 403,
      serverMessage: 'Please confirm that it’s you.',
      acceptedProofs: ['password'],
    })
    await expect(admin.call(stepUp.withPassword, { password: 'not it' })).rejects.toMatchObject({
      status: 403,
      fields: { password: 'Wrong password' },
    })
    await expect(admin.call(accountsAdmin.add, newcomer(2))).rejects.toMatchObject({ status: 403 })
    await admin.call(stepUp.withPassword, { password: admin.password })
    await admin.call(accountsAdmin.add, newcomer(2))
    shop.clock.advance({ minutes: 11 })
    await expect(admin.call(accountsAdmin.add, newcomer(3))).rejects.toMatchObject({ status: 403 })
  })

  test('two hours later, is refused without a proof and changes nothing', async () => {
    const [admin, buyer] = [await shop.admin(), await shop.buyer()]
    const settings = await admin.call(contract.settings.adminShow, {})
    shop.clock.advance({ hours: 2 })
    const proofRequired = { status: 403, acceptedProofs: ['password'] }
    const { id, productId } = buyer.purchase
    const saving = admin.call(contract.settings.adminSave, { SUPPORT_EMAIL: 'thief@evil.example' })
    await expect(saving).rejects.toMatchObject(proofRequired)
    const booking = admin.call(purchasesAdmin.add, {
      userId: admin.user.id,
      productId,
      billingType: 'monthly',
      amount: 0,
      status: 'active',
    })
    await expect(booking).rejects.toMatchObject(proofRequired)
    await expect(admin.call(purchasesAdmin.cancel, { id })).rejects.toMatchObject(proofRequired)
    const importing = admin.call(contract.imports.adminImport, {
      lines: [{ line: 1, email: 'thief@example.com', plan: 'monthly', paidUntil: '2030-01-01' }],
      invite: false,
      hasAccess: false,
    })
    await expect(importing).rejects.toMatchObject(proofRequired)
    expect(await admin.call(contract.settings.adminShow, {})).toEqual(settings)
    expect(await admin.call(purchasesAdmin.list, {})).toMatchObject([{ id, status: 'active' }])
  })

  test('needs a fresh proof also when it adds an account without a role', async () => {
    const admin = await shop.admin()
    shop.clock.advance({ hours: 2 })
    await expect(admin.call(accountsAdmin.add, { ...newcomer(6), isAdmin: false })).rejects.toMatchObject({
      code: 'prove-again',
    })
  })

  test('needs a proof on each device: a proof on one does not count on another', async () => {
    const [here, there] = [await shop.admin(), await shop.admin()]
    shop.clock.advance({ minutes: 11 })
    await here.call(stepUp.withPassword, { password: here.password })
    await here.call(accountsAdmin.add, newcomer(4))
    await expect(there.call(accountsAdmin.add, newcomer(5))).rejects.toMatchObject({ acceptedProofs: ['password'] })
  })
})

test('outside production, someone without a second factor is not asked for a proof', async () => {
  await using localShop = await openShop()
  const admin = await localShop.admin()
  localShop.clock.advance({ minutes: 60 })
  expect(await admin.call(accountsAdmin.add, newcomer(1))).toEqual({})
})
