import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { settings } from '#contract/admin/settings.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { contact } from '#contract/site/contact.ts'
import { sentMails } from '../database/schema.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const message = { firstName: 'Ada', lastName: 'Lovelace', message: 'I was in hospital for weeks' }
const recordedMails = (userId: string) =>
  shop.connection.db.select().from(sentMails).where(eq(sentMails.userId, userId))

test('emails to the seller are recorded for no account, not even for one with the support address', async () => {
  const owner = await shop.verifiedUser()
  const admin = await shop.admin()
  await admin.call(settings.adminSave, { SUPPORT_EMAIL: owner.user.email })
  await shop.visitor().call(contact.send, { ...message, email: 'patient@example.com' })
  const toSeller = (await shop.mails()).filter(({ text }) => text.includes(message.message))
  expect(toSeller).toMatchObject([{ to: owner.user.email }])
  expect(JSON.stringify(await owner.call(accounts.myData, {}))).not.toContain(message.message)
  expect((await recordedMails(owner.user.id)).map(({ kind }) => kind)).not.toContain('contactMessage')
  await admin.call(settings.adminSave, { SUPPORT_EMAIL: '' })
})

test('“my data” lists the emails sent since the address was proven, and the admin area lists all', async () => {
  const person = await shop.user()
  const { id, email } = person.user
  await shop.queue.waitUntilIdle()
  expect(await person.call(accounts.myData, {})).toMatchObject({ emails: [] })
  shop.clock.advance({ minutes: 1 })
  await person.call(accounts.requestPasswordReset, { email })
  const link = (await shop.mails()).find(({ to, subject }) => to === email && subject.startsWith('Reset'))
  shop.clock.advance({ minutes: 1 })
  await person.call(accounts.resetPassword, {
    token: /token=(\S+)/.exec(link?.text ?? '')?.[1] ?? '',
    newPassword: 'proven by now',
  })
  await shop.queue.waitUntilIdle()
  await person.call(accounts.login, { email, password: 'proven by now' })
  const { emails } = await person.call(accounts.myData, {})
  expect(emails).toMatchObject([{ subject: 'Your password was changed' }])
  const timeline = await (await shop.admin()).call(customers.adminTimeline, { id, limit: 200 })
  expect(timeline.filter(({ kind }) => kind === 'mail').map(({ title }) => title)).toEqual(
    expect.arrayContaining(['Your password was changed', 'Reset your password', 'Welcome to Rebound Sigma']),
  )
})

test('a later proof or another address hides no email sent after the first proof', async () => {
  const person = await shop.verifiedUser()
  const { email } = person.user
  const findLink = async (to: string, link: RegExp) => {
    shop.clock.advance({ minutes: 1 })
    const sent = (await shop.mails()).findLast((mail) => mail.to === to && link.test(mail.text))
    return link.exec(sent?.text ?? '') ?? []
  }
  const resetPassword = async (newPassword: string) => {
    await person.call(accounts.requestPasswordReset, { email })
    const [, token = ''] = await findLink(email, /reset-password\?token=(\S+)/)
    await person.call(accounts.resetPassword, { token, newPassword })
    await person.call(accounts.login, { email, password: newPassword })
  }
  shop.clock.advance({ minutes: 1 })
  await resetPassword('the first of two')
  await resetPassword('the second of two')
  const newEmail = `moved-${email}`
  await person.call(credentials.changeEmail, { email: newEmail })
  const [, id = '', token = ''] = await findLink(newEmail, /id=(\S+?)&token=(\S+)/)
  await person.call(credentials.confirmEmail, { id, token })
  await shop.queue.waitUntilIdle()
  const { emails } = await person.call(accounts.myData, {})
  const subjects = (emails as { subject: string }[]).map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject === 'Your password was changed')).toHaveLength(2)
  expect(subjects).not.toContain('Welcome to Rebound Sigma')
})

test('the name of an account appears only in emails to an address that the account has proven', async () => {
  const name = 'Your card was charged twice'
  const stranger = await shop.user({ name })
  await shop.buy(stranger)
  const unproven = (await shop.mails()).filter(({ to }) => to === stranger.user.email)
  expect(unproven.map(({ subject }) => subject)).toContain('Your receipt: Rebound Sigma Pro')
  expect(JSON.stringify(unproven)).not.toContain(name)
  const owner = await shop.verifiedUser()
  await shop.buy(owner)
  const receipt = (await shop.mails()).findLast(({ to }) => to === owner.user.email)
  expect(receipt?.text).toContain('Hello Ada Trader,')
})
