import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { emailChanges } from '#server/database/schema.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

async function linkIn(email: string, subject: string) {
  const mail = (await shop.mails()).findLast((sent) => sent.to === email && sent.subject === subject)
  const [, id = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(mail?.text ?? '') ?? []
  return { id, token }
}
const newcomer = { name: 'Newcomer', password: 'nobody would guess it' }
const confirmSubject = 'Confirm your new email address'
const changedSubject = 'Your email address was changed'

describe('a new password', () => {
  test('needs the current one, and logs out every other device', async () => {
    const person = await shop.user()
    const phone = shop.visitor()
    await phone.call(accounts.login, { email: person.user.email, password: person.password })
    const newPassword = 'something else entirely'
    await expect(
      person.call(credentials.changePassword, { currentPassword: 'not it', newPassword }),
    ).rejects.toMatchObject({ status: 403, fields: { currentPassword: 'Wrong password' } })
    await person.call(credentials.changePassword, { currentPassword: person.password, newPassword })
    expect(await phone.call(accounts.user, {})).toBeNull()
    expect(await person.call(accounts.user, {})).toEqual(person.user)
    await phone.call(accounts.login, { email: person.user.email, password: newPassword })
    const mails = (await shop.mails()).filter(({ to }) => to === person.user.email)
    expect(mails.map(({ subject }) => subject)).toContain('Your password was changed')
  })

  test('cancels a change of address that is not confirmed yet', async () => {
    const person = await shop.user()
    const email = `waiting-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.changePassword, {
      currentPassword: person.password,
      newPassword: 'something else entirely',
    })
    const link = await linkIn(email, confirmSubject)
    await expect(shop.visitor().call(credentials.confirmEmail, link)).rejects.toMatchObject({ status: 400 })
  })
})

test('“Log out everywhere else” leaves this device logged in', async () => {
  const person = await shop.user()
  const phone = shop.visitor()
  await phone.call(accounts.login, { email: person.user.email, password: person.password })
  await person.call(credentials.logoutElsewhere, {})
  expect(await phone.call(accounts.user, {})).toBeNull()
  expect(await person.call(accounts.devices, {})).toMatchObject([{ isCurrent: true }])
})

describe('a new email address', () => {
  test('replaces the old one once it is confirmed, and the old mailbox gets an email', async () => {
    const person = await shop.user()
    const email = `new-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    expect(await person.call(accounts.user, {})).toMatchObject({ email: person.user.email })
    const link = await linkIn(email, confirmSubject)
    // In another browser, the link must not work: a stranger could make the mailbox's owner click it.
    await expect(shop.visitor().call(credentials.confirmEmail, link)).rejects.toMatchObject({ status: 403 })
    await person.call(credentials.confirmEmail, link)
    expect(await person.call(accounts.user, {})).toMatchObject({ email })
    await expect(shop.visitor().call(credentials.confirmEmail, link)).rejects.toMatchObject({ status: 400 })
    await shop.visitor().call(accounts.login, { email, password: person.password })
    expect(await linkIn(person.user.email, changedSubject)).toMatchObject({ id: link.id })
    // An unproven account that has moved on does not block its old address.
    await shop.visitor().call(accounts.register, { ...newcomer, email: person.user.email })
  })

  test('can be undone from the old mailbox for 72 hours, which removes everything a thief has added', async () => {
    const person = await shop.buyer()
    await shop.confirm(person)
    const email = `thief-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmSubject))
    const thief = await addApp(shop, person)
    // The thief changes the address again, so that the second mailbox could undo that change.
    await person.call(credentials.changeEmail, { email: `2-${email}` })
    await person.call(credentials.confirmEmail, await linkIn(`2-${email}`, confirmSubject))
    // The old address stays reserved while its owner can undo the change.
    await expect(
      shop.visitor().call(accounts.register, { ...newcomer, email: person.user.email }),
    ).rejects.toMatchObject({ status: 409 })
    shop.clock.advance({ hours: 70 })
    await shop.visitor().call(credentials.undoEmail, await linkIn(person.user.email, changedSubject))
    await expect(shop.visitor().call(credentials.undoEmail, await linkIn(email, changedSubject))).rejects.toMatchObject(
      { status: 400 },
    )
    expect(await person.call(accounts.user, {})).toBeNull()
    await expect(
      shop.visitor().call(accounts.login, { email: person.user.email, password: person.password }),
    ).rejects.toMatchObject({ status: 401, secondSteps: undefined })
    const mail = (await shop.mails()).findLast(
      ({ to, subject }) => to === person.user.email && subject === 'Reset your password',
    )
    const token = /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
    await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'mine again, and new' })
    const ownersBrowser = shop.visitor()
    await ownersBrowser.call(accounts.login, { email: person.user.email, password: 'mine again, and new' })
    expect(await ownersBrowser.call(factors.show, {})).toMatchObject({ appCodesSince: null, recoveryCodesLeft: 0 })
    const ownersApp = await addApp(shop, ownersBrowser)
    expect(ownersApp.recoveryCodes).toHaveLength(10)
    expect(ownersApp.recoveryCodes).not.toContain(thief.recoveryCodes[0])
  })

  test('is undone together with a passkey that a thief added an hour before the change', async () => {
    const person = await shop.verifiedUser()
    const email = `patient-thief-${person.user.email}`
    const passkey = createAuthenticator(shop.url)
    const registration = passkey.register(await person.call(factors.beginPasskey, {}))
    await person.call(factors.addPasskey, { name: 'Planted', response: registration })
    shop.clock.advance({ hours: 1 })
    const response = passkey.authenticate(await person.call(logins.passkeyOptions, {}))
    await person.call(logins.withPasskey, { response })
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmSubject))
    await shop.visitor().call(credentials.undoEmail, await linkIn(person.user.email, changedSubject))
    const thief = shop.visitor()
    const thiefResponse = passkey.authenticate(await thief.call(logins.passkeyOptions, {}))
    await expect(thief.call(logins.withPasskey, { response: thiefResponse })).rejects.toMatchObject({ status: 401 })
  })

  test('of staff is undone without removing their factors, so the old mailbox alone opens nothing', async () => {
    const support = await shop.staff('support')
    const app = await addApp(shop, support)
    const email = `moved-${support.user.email}`
    await support.call(credentials.changeEmail, { email })
    await support.call(credentials.confirmEmail, await linkIn(email, confirmSubject))
    await shop.visitor().call(credentials.undoEmail, await linkIn(support.user.email, changedSubject))
    const reader = shop.visitor()
    await expect(shop.choosePassword(reader, support.user.email, 'chosen by the old mailbox')).rejects.toMatchObject({
      status: 401,
      secondSteps: ['code'],
    })
    shop.clock.advance({ minutes: 1 })
    await reader.call(logins.withCode, { code: app.code() })
  })

  test('is undone even if a newcomer has signed up with the old address without proving it', async () => {
    const person = await shop.verifiedUser()
    const oldEmail = person.user.email
    await person.call(credentials.changeEmail, { email: `away-${oldEmail}` })
    await person.call(credentials.confirmEmail, await linkIn(`away-${oldEmail}`, confirmSubject))
    const stranger = await shop.user({ email: oldEmail })
    await shop.visitor().call(credentials.undoEmail, await linkIn(oldEmail, changedSubject))
    expect(await stranger.call(accounts.user, {})).toBeNull()
    const admin = await shop.admin()
    expect(await admin.call(accountsAdmin.list, { q: oldEmail })).toMatchObject([
      { id: person.user.id, email: oldEmail },
    ])
  })

  test('does not block an address that the account had never proven', async () => {
    const stranger = await shop.buyer()
    const victimEmail = stranger.user.email
    await stranger.call(credentials.changeEmail, { email: `own-${victimEmail}` })
    await stranger.call(credentials.confirmEmail, await linkIn(`own-${victimEmail}`, confirmSubject))
    const victim = await shop.user({ email: victimEmail })
    expect(await victim.call(accounts.user, {})).toMatchObject({ email: victimEmail })
  })

  test('is undone even if a guest has bought with the old address meanwhile', async () => {
    const person = await shop.buyer()
    await shop.confirm(person)
    const oldEmail = person.user.email
    const email = `blocking-${oldEmail}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmSubject))
    await shop.guest(shop.visitor(), oldEmail)
    await shop.settle()
    const admin = await shop.admin()
    const [guestAccount] = await admin.call(accountsAdmin.list, { q: oldEmail })
    expect(guestAccount).toMatchObject({ email: oldEmail, totalPurchases: 1 })
    await shop.visitor().call(credentials.undoEmail, await linkIn(oldEmail, changedSubject))
    const [restored] = await admin.call(accountsAdmin.list, { q: oldEmail })
    expect(restored).toMatchObject({ id: person.user.id, email: oldEmail, totalPurchases: 1 })
    // The guest's account keeps its purchase; the seller gets an email and enters another address.
    expect((await shop.mails()).map(({ subject }) => subject)).toContain(
      'An account with a purchase has no email address now',
    )
    const id = guestAccount?.id ?? ''
    await admin.call(customers.adminCorrectEmail, { id, email: `second-${oldEmail}` })
    const [correctedAccount] = await admin.call(accountsAdmin.list, { q: `second-${oldEmail}` })
    expect(correctedAccount).toMatchObject({ id, totalPurchases: 1, isProven: false })
  })

  test('cannot be undone after 72 hours, and then the old address is deleted', async () => {
    const person = await shop.user()
    const email = `later-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmSubject))
    shop.clock.advance({ hours: 73 })
    await expect(
      shop.visitor().call(credentials.undoEmail, await linkIn(person.user.email, changedSubject)),
    ).rejects.toMatchObject({ status: 400 })
    await shop.queue.runNow('tidy-accounts')
    const remainingChanges = await shop.connection.db.select().from(emailChanges)
    expect(remainingChanges.map(({ oldEmail }) => oldEmail)).not.toContain(person.user.email)
  })

  test('gets the same answer whether or not it has an account; only its mailbox learns that', async () => {
    const [person, accountHolder] = [await shop.user(), await shop.user()]
    const answerToTaken = await person.call(credentials.changeEmail, { email: accountHolder.user.email })
    const answerToFree = await person.call(credentials.changeEmail, { email: 'nobody-yet@example.com' })
    expect(answerToTaken).toEqual(answerToFree)
    const mailsToHolder = (await shop.mails()).filter(({ to }) => to === accountHolder.user.email)
    expect(mailsToHolder.map(({ subject }) => subject)).toContain('This address already has an account')
    expect(await linkIn(accountHolder.user.email, confirmSubject)).toEqual({ id: '', token: '' })
  })
})
