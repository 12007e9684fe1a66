import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
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
  const mail = (await shop.mails()).findLast((each) => each.to === email && each.subject === subject)
  const [, id = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(mail?.text ?? '') ?? []
  return { id, token }
}
const newcomer = { name: 'Newcomer', password: 'nobody would guess it' }
const confirmed = 'Confirm your new email address'
const changed = 'Your email address was changed'

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
    const subjects = (await shop.mails()).filter(({ to }) => to === person.user.email)
    expect(subjects.map(({ subject }) => subject)).toContain('Your password was changed')
  })

  test('stops a change of address that waits to be confirmed', async () => {
    const person = await shop.user()
    const email = `waiting-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.changePassword, {
      currentPassword: person.password,
      newPassword: 'something else entirely',
    })
    const link = await linkIn(email, confirmed)
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
  test('counts once it is confirmed; the old one is told', async () => {
    const person = await shop.user()
    const email = `new-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    expect(await person.call(accounts.user, {})).toMatchObject({ email: person.user.email })
    const link = await linkIn(email, confirmed)
    // Or a stranger could have anyone who clicks confirm the address for an account that isn't theirs.
    await expect(shop.visitor().call(credentials.confirmEmail, link)).rejects.toMatchObject({ status: 403 })
    await person.call(credentials.confirmEmail, link)
    expect(await person.call(accounts.user, {})).toMatchObject({ email })
    await expect(shop.visitor().call(credentials.confirmEmail, link)).rejects.toMatchObject({ status: 400 })
    await shop.visitor().call(accounts.login, { email, password: person.password })
    expect(await linkIn(person.user.email, changed)).toMatchObject({ id: link.id })
    // Anyone who signs up with someone's address and moves on does not keep it from them.
    await shop.visitor().call(accounts.register, { ...newcomer, email: person.user.email })
  })

  test('is taken back from the old one for 72 hours, with everything a thief has added', async () => {
    const person = await shop.buyer()
    await shop.confirm(person)
    const email = `thief-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmed))
    const thief = await addApp(shop, person)
    // The thief moves on, so that the first address in between could undo in turn.
    await person.call(credentials.changeEmail, { email: `2-${email}` })
    await person.call(credentials.confirmEmail, await linkIn(`2-${email}`, confirmed))
    // Nor does it help to sign up with the address that is free now.
    await expect(
      shop.visitor().call(accounts.register, { ...newcomer, email: person.user.email }),
    ).rejects.toMatchObject({ status: 409 })
    shop.clock.advance({ hours: 70 })
    await shop.visitor().call(credentials.undoEmail, await linkIn(person.user.email, changed))
    await expect(shop.visitor().call(credentials.undoEmail, await linkIn(email, changed))).rejects.toMatchObject({
      status: 400,
    })
    expect(await person.call(accounts.user, {})).toBeNull()
    await expect(
      shop.visitor().call(accounts.login, { email: person.user.email, password: person.password }),
    ).rejects.toMatchObject({ status: 401, secondSteps: undefined })
    const mail = (await shop.mails()).findLast(
      ({ to, subject }) => to === person.user.email && subject === 'Reset your password',
    )
    const token = /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
    await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'mine again, and new' })
    const back = shop.visitor()
    await back.call(accounts.login, { email: person.user.email, password: 'mine again, and new' })
    expect(await back.call(factors.show, {})).toMatchObject({ appCodesSince: null, recoveryCodesLeft: 0 })
    const own = await addApp(shop, back)
    expect(own.recoveryCodes).toHaveLength(10)
    expect(own.recoveryCodes).not.toContain(thief.recoveryCodes[0])
  })

  test('is taken back without a passkey that a thief added before asking for it', async () => {
    const person = await shop.verifiedUser()
    const email = `patient-thief-${person.user.email}`
    const passkey = createAuthenticator(shop.url)
    const made = passkey.register(await person.call(factors.beginPasskey, {}))
    await person.call(factors.addPasskey, { name: 'Planted', response: made })
    shop.clock.advance({ hours: 1 })
    const response = passkey.authenticate(await person.call(logins.passkeyOptions, {}))
    await person.call(logins.withPasskey, { response })
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmed))
    await shop.visitor().call(credentials.undoEmail, await linkIn(person.user.email, changed))
    const thief = shop.visitor()
    const again = passkey.authenticate(await thief.call(logins.passkeyOptions, {}))
    await expect(thief.call(logins.withPasskey, { response: again })).rejects.toMatchObject({ status: 401 })
  })

  test('of staff is taken back without their factors: the old mailbox alone opens nothing', async () => {
    const support = await shop.staff('support')
    const app = await addApp(shop, support)
    const email = `moved-${support.user.email}`
    await support.call(credentials.changeEmail, { email })
    await support.call(credentials.confirmEmail, await linkIn(email, confirmed))
    await shop.visitor().call(credentials.undoEmail, await linkIn(support.user.email, changed))
    const reader = shop.visitor()
    await expect(shop.choosePassword(reader, support.user.email, 'chosen by the old mailbox')).rejects.toMatchObject({
      status: 401,
      secondSteps: ['code'],
    })
    shop.clock.advance({ minutes: 1 })
    await reader.call(logins.withCode, { code: app.code() })
  })

  test('goes back to whoever had proven it, also from a newcomer who only typed it', async () => {
    const person = await shop.verifiedUser()
    const old = person.user.email
    await person.call(credentials.changeEmail, { email: `away-${old}` })
    await person.call(credentials.confirmEmail, await linkIn(`away-${old}`, confirmed))
    const stranger = await shop.user({ email: old })
    await shop.visitor().call(credentials.undoEmail, await linkIn(old, changed))
    expect(await stranger.call(accounts.user, {})).toBeNull()
    const admin = await shop.admin()
    expect(await admin.call(accounts.adminList, { q: old })).toMatchObject([{ id: person.user.id, email: old }])
  })

  test('does not block an address that the account had never proven', async () => {
    const stranger = await shop.buyer()
    const victims = stranger.user.email
    await stranger.call(credentials.changeEmail, { email: `own-${victims}` })
    await stranger.call(credentials.confirmEmail, await linkIn(`own-${victims}`, confirmed))
    const victim = await shop.user({ email: victims })
    expect(await victim.call(accounts.user, {})).toMatchObject({ email: victims })
  })

  test('is taken back even if a guest has bought with the old one meanwhile', async () => {
    const person = await shop.buyer()
    await shop.confirm(person)
    const old = person.user.email
    const email = `blocking-${old}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmed))
    await shop.guest(shop.visitor(), old)
    await shop.settle()
    const admin = await shop.admin()
    const [bought] = await admin.call(accounts.adminList, { q: old })
    expect(bought).toMatchObject({ email: old, totalPurchases: 1 })
    await shop.visitor().call(credentials.undoEmail, await linkIn(old, changed))
    const [back] = await admin.call(accounts.adminList, { q: old })
    expect(back).toMatchObject({ id: person.user.id, email: old, totalPurchases: 1 })
    // Its purchase is not lost: the seller is told, and gives it another address.
    expect((await shop.mails()).map(({ subject }) => subject)).toContain(
      'An account with a purchase has no email address now',
    )
    const id = bought?.id ?? ''
    await admin.call(customers.adminCorrectEmail, { id, email: `second-${old}` })
    const [other] = await admin.call(accounts.adminList, { q: `second-${old}` })
    expect(other).toMatchObject({ id, totalPurchases: 1, isProven: false })
  })

  test('cannot be taken back after 72 hours, and then nothing keeps the old one', async () => {
    const person = await shop.user()
    const email = `later-${person.user.email}`
    await person.call(credentials.changeEmail, { email })
    await person.call(credentials.confirmEmail, await linkIn(email, confirmed))
    shop.clock.advance({ hours: 73 })
    await expect(
      shop.visitor().call(credentials.undoEmail, await linkIn(person.user.email, changed)),
    ).rejects.toMatchObject({ status: 400 })
    await shop.queue.runNow('tidy-accounts')
    const kept = await shop.connection.db.select().from(emailChanges)
    expect(kept.map(({ oldEmail }) => oldEmail)).not.toContain(person.user.email)
  })

  test('is answered alike whether or not it has an account; only its mailbox is told', async () => {
    const [person, other] = [await shop.user(), await shop.user()]
    const answers = await Promise.all(
      [other.user.email, 'nobody-yet@example.com'].map((email) => person.call(credentials.changeEmail, { email })),
    )
    expect(answers[0]).toEqual(answers[1])
    const toOther = (await shop.mails()).filter(({ to }) => to === other.user.email)
    expect(toOther.map(({ subject }) => subject)).toContain('This address already has an account')
    expect(await linkIn(other.user.email, confirmed)).toEqual({ id: '', token: '' })
  })
})
