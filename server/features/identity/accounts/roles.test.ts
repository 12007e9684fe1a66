import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { staff } from '#contract/identity/staff.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { purchases as purchaseRows } from '#server/database/schema.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())

describe('an admin', () => {
  test('gives someone the role support; after a new login, they see users and purchases but may not refund', async () => {
    const buyer = await shop.buyer()
    const person = await shop.verifiedUser()
    await admin.call(staff.adminSetRole, { id: person.user.id, role: 'support' })
    expect(await person.call(accounts.user, {})).toBeNull()
    await shop.choosePassword(person, person.user.email, person.password)
    expect(await person.call(accounts.user, {})).toMatchObject({ isAdmin: false, role: 'support' })
    await person.call(accountsAdmin.list, {})
    await person.call(purchasesAdmin.list, {})
    await expect(person.call(purchasesAdmin.refund, { id: buyer.purchase.id, refundedSoFar: 0 })).rejects.toMatchObject(
      { status: 403 },
    )
  })

  test('lets support cancel at the end of the period, but not immediately, and see the shop as the buyer', async () => {
    const [support, buyer] = [await shop.staff('support'), await shop.buyer()]
    const { id } = buyer.purchase
    await expect(support.call(purchasesAdmin.cancel, { id })).rejects.toMatchObject({ status: 403 })
    await support.call(purchasesAdmin.cancellation, { id })
    await support.call(purchasesAdmin.cancelAtPeriodEnd, { id })
    await support.call(purchasesAdmin.cancelAtPeriodEnd, { id })
    const seen = await support.call(customers.adminSeeAs, { id: buyer.user.id })
    expect(seen.purchases).toMatchObject([{ id, status: 'pending_cancel' }])
    const log = await admin.call(audit.adminList, { q: support.user.email })
    expect(log.map(({ action }) => action).slice(0, 2)).toEqual(['user.see-as', 'purchase.cancel'])

    const unpaid = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    await shop.connection.db
      .update(purchaseRows)
      .set({ status: 'past_due' })
      .where(eq(purchaseRows.id, unpaid.purchase.id))
    await expect(support.call(purchasesAdmin.cancelAtPeriodEnd, { id: unpaid.purchase.id })).rejects.toMatchObject({
      code: 'not-active',
    })
  })

  test('removes a role without deleting the person, and the audit log records it', async () => {
    const support = await shop.staff('support')
    await admin.call(staff.adminSetRole, { id: support.user.id, role: 'none' })
    expect(await support.call(accounts.user, {})).toBeNull()
    await support.call(accounts.login, { email: support.user.email, password: support.password })
    await expect(support.call(accountsAdmin.list, {})).rejects.toMatchObject({ status: 403 })
    const [newest] = await admin.call(audit.adminList, {})
    expect(newest).toMatchObject({
      action: 'user.role',
      subject: support.user.email,
      detail: { from: 'support', to: 'none' },
    })
  })

  test('gets an email about every new admin, added or promoted', async () => {
    const person = await shop.verifiedUser()
    await admin.call(staff.adminSetRole, { id: person.user.id, role: 'admin' })
    const added = { email: 'third@example.com', password: 'a third admin’s own', name: 'Third', isAdmin: true }
    await admin.call(accountsAdmin.add, added)
    const newAdminMails = (await shop.mails()).filter(({ subject }) => subject === 'Your shop has a new admin')
    const mailsAboutThird = newAdminMails.filter(({ text }) => text.includes(added.email))
    const mailsAboutSecond = newAdminMails.filter(({ text }) => !text.includes(added.email))
    const adminEmails = [admin.user.email, person.user.email]
    expect(mailsAboutSecond.map(({ to }) => to)).toEqual([admin.user.email])
    expect(mailsAboutThird.map(({ to }) => to).toSorted()).toEqual(adminEmails.toSorted())
    await admin.call(staff.adminSetRole, { id: person.user.id, role: 'none' })
    const [third] = await admin.call(accountsAdmin.list, { q: added.email })
    await admin.call(staff.adminSetRole, { id: third?.id ?? '', role: 'none' })
  })

  test('who is the last one keeps the role, even when two demote each other at once', async () => {
    await expect(admin.call(staff.adminSetRole, { id: admin.user.id, role: 'none' })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'The last admin must stay one',
    })
    await using ownShop = await openShop()
    const first = await ownShop.admin()
    const person = await ownShop.verifiedUser()
    await first.call(staff.adminSetRole, { id: person.user.id, role: 'admin' })
    await ownShop.choosePassword(person, person.user.email, person.password)
    const outcomes = await Promise.allSettled([
      first.call(staff.adminSetRole, { id: person.user.id, role: 'none' }),
      person.call(staff.adminSetRole, { id: first.user.id, role: 'support' }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a role', () => {
  const addPasskey = async (person: Visitor) => {
    const authenticator = createAuthenticator(shop.url)
    const response = authenticator.register(await person.call(factors.beginPasskey, {}))
    await person.call(factors.addPasskey, { name: 'Phone', response })
    const logIn = async () => {
      const visitor = shop.visitor()
      const options = await visitor.call(logins.passkeyOptions, {})
      return visitor.call(logins.withPasskey, { response: authenticator.authenticate(options) })
    }
    return logIn
  }
  const setRole = (id: string, role: 'admin' | 'support' | 'none') => admin.call(staff.adminSetRole, { id, role })

  test('is refused for an unproven address', async () => {
    const stranger = await shop.user()
    const { id, email } = stranger.user
    expect(await admin.call(accountsAdmin.list, { q: email })).toMatchObject([{ isProven: false }])
    for (const role of ['admin', 'support'] as const)
      await expect(setRole(id, role)).rejects.toMatchObject({
        status: 409,
        serverMessage: expect.stringContaining('hasn’t confirmed their email address yet. Send them'),
      })
    expect(await stranger.call(accounts.user, {})).toMatchObject({ isAdmin: false, role: null })
    await expect(stranger.call(accountsAdmin.list, {})).rejects.toMatchObject({ status: 403 })
    await setRole(id, 'none')
  })

  test('is refused for someone whom an admin added, until they have used their own link', async () => {
    const added = { email: 'partner@example.com', password: 'chosen for a partner', name: 'Partner', isAdmin: false }
    await admin.call(accountsAdmin.add, { ...added, invite: true })
    const [found] = await admin.call(accountsAdmin.list, { q: added.email })
    expect(found).toMatchObject({ isProven: false })
    await expect(setRole(found?.id ?? '', 'support')).rejects.toMatchObject({ code: 'person-unproven' })
    await shop.choosePassword(shop.visitor(), added.email, 'the partner’s own')
    expect(await admin.call(accountsAdmin.list, { q: added.email })).toMatchObject([
      { isProven: true, name: 'Partner' },
    ])
    await setRole(found?.id ?? '', 'support')
  })

  test('given with a new account has no effect until its owner has used their own link', async () => {
    const added = { email: 'boss@example.com', password: 'chosen for the boss', name: 'Boss', isAdmin: true }
    await admin.call(accountsAdmin.add, added)
    const boss = shop.visitor()
    await boss.call(accounts.login, { email: added.email, password: added.password })
    await expect(boss.call(accountsAdmin.list, {})).rejects.toMatchObject({ status: 403, code: 'unproven' })
    await shop.choosePassword(boss, added.email, 'the boss’s very own')
    const [found] = await boss.call(accountsAdmin.list, { q: added.email })
    await setRole(found?.id ?? '', 'none')
  })

  test('stays with the address that the admin saw: an older mailbox can’t undo the change of address', async () => {
    const person = await shop.verifiedUser()
    const email = `moved-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    const linkIn = async (to: string, action: string) => {
      const link = new RegExp(`action=${action}&id=(\\S+?)&token=(\\S+)`)
      const sent = (await shop.mails()).findLast((mail) => mail.to === to && link.test(mail.text))
      const [, id = '', token = ''] = link.exec(sent?.text ?? '') ?? []
      return { id, token }
    }
    await person.call(credentials.confirmEmail, await linkIn(email, 'confirm-email'))
    const undo = await linkIn(person.user.email, 'undo-email')
    await setRole(person.user.id, 'admin')
    await expect(shop.visitor().call(credentials.undoEmail, undo)).rejects.toMatchObject({ status: 400 })
    await setRole(person.user.id, 'none')
  })

  test('removes password, passkeys, codes and a pending change of address, and sends an email', async () => {
    const person = await shop.verifiedUser()
    const { id, email } = person.user
    const logIn = await addPasskey(person)
    await person.call(credentials.changeEmail, { email: 'thief@example.com' })
    await setRole(id, 'admin')
    await expect(logIn()).rejects.toMatchObject({ status: 401 })
    const mails = await shop.mails()
    const thiefsMail = mails.find(({ to }) => to === 'thief@example.com')
    const [, changeId = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(thiefsMail?.text ?? '') ?? []
    await expect(shop.visitor().call(credentials.confirmEmail, { id: changeId, token })).rejects.toMatchObject({
      status: 400,
    })
    expect(mails.findLast(({ to }) => to === email)).toMatchObject({
      subject: 'You’re now an admin of Rebound Sigma',
      text: expect.stringContaining('removed your password, passkeys, app codes, and recovery codes'),
    })
    const newBrowser = shop.visitor()
    await expect(newBrowser.call(accounts.login, { email, password: person.password })).rejects.toMatchObject({
      status: 401,
    })
    await shop.choosePassword(newBrowser, email, 'chosen with the link')
    expect(await newBrowser.call(factors.show, {})).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 })
    await setRole(id, 'none')
  })

  test('that gets fewer permissions, or is removed, leaves the factors alone', async () => {
    const person = await shop.verifiedUser()
    const { id, email } = person.user
    await setRole(id, 'admin')
    await shop.choosePassword(person, email, person.password)
    const logIn = await addPasskey(person)
    await setRole(id, 'support')
    await logIn()
    await setRole(id, 'none')
    await logIn()
    // Only the role of an admin was announced, because support has fewer permissions.
    const roleMails = (await shop.mails()).filter(({ to, subject }) => to === email && subject.startsWith('You’re now'))
    expect(roleMails).toHaveLength(1)
  })
})
