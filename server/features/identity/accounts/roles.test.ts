import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#contract/desk/audit.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { staff } from '#contract/identity/staff.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())

describe('an admin', () => {
  test('makes someone support, who logs in anew and sees users and purchases, but may not refund', async () => {
    const buyer = await shop.buyer()
    const person = await shop.user()
    await admin.call(staff.adminSetRole, { id: person.user.id, role: 'support' })
    expect(await person.call(accounts.user, {})).toBeNull()
    await person.call(accounts.login, { email: person.user.email, password: person.password })
    expect(await person.call(accounts.user, {})).toMatchObject({ isAdmin: false, role: 'support' })
    await person.call(accounts.adminList, {})
    await person.call(purchases.adminList, {})
    await expect(
      person.call(purchases.adminRefund, { id: buyer.purchase.id, refundedSoFar: 0 }),
    ).rejects.toMatchObject({
      status: 403,
    })
  })

  test('takes a role away without deleting anyone, and the audit log tells', async () => {
    const support = await shop.support()
    await admin.call(staff.adminSetRole, { id: support.user.id, role: 'none' })
    expect(await support.call(accounts.user, {})).toBeNull()
    await support.call(accounts.login, { email: support.user.email, password: support.password })
    await expect(support.call(accounts.adminList, {})).rejects.toMatchObject({ status: 403 })
    const [newest] = await admin.call(audit.adminList, {})
    expect(newest).toMatchObject({
      action: 'user.role',
      subject: support.user.email,
      detail: { from: 'support', to: 'none' },
    })
  })

  test('is told of every new one, however it came about', async () => {
    const person = await shop.user()
    await admin.call(staff.adminSetRole, { id: person.user.id, role: 'admin' })
    const added = {
      email: 'third@example.com',
      password: 'a third admin’s own',
      name: 'Third',
      isAdmin: true,
    }
    await admin.call(accounts.adminAdd, added)
    const told = (await shop.mails())
      .filter(({ subject }) => subject === 'Your shop has a new admin')
      .map(({ to, text }) => `${to} hears of ${text.includes(added.email) ? 'the third' : 'the second'}`)
    expect(told.toSorted()).toEqual(
      [
        `${admin.user.email} hears of the second`,
        `${admin.user.email} hears of the third`,
        `${person.user.email} hears of the third`,
      ].toSorted(),
    )
    await admin.call(staff.adminSetRole, { id: person.user.id, role: 'none' })
    const [third] = await admin.call(accounts.adminList, { q: added.email })
    await admin.call(staff.adminSetRole, { id: third?.id ?? '', role: 'none' })
  })

  test('who is the last cannot lose the role, not even when two demote each other at once', async () => {
    await expect(admin.call(staff.adminSetRole, { id: admin.user.id, role: 'none' })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'The last admin must stay one',
    })
    await using other = await openShop()
    const first = await other.admin()
    const person = await other.user()
    await first.call(staff.adminSetRole, { id: person.user.id, role: 'admin' })
    await person.call(accounts.login, { email: person.user.email, password: person.password })
    const both = await Promise.allSettled([
      first.call(staff.adminSetRole, { id: person.user.id, role: 'none' }),
      person.call(staff.adminSetRole, { id: first.user.id, role: 'support' }),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
