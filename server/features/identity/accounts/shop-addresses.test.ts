import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { settings } from '#contract/admin/settings.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { seller } from '#server/testing/people.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const support = 'support@example.com'
const refused = {
  status: 409,
  serverMessage: 'This address belongs to the shop. Please use another one, or log in if it’s yours.',
}
const signUp = (email: string) =>
  shop.visitor().call(accounts.register, { email, name: 'Eve', password: 'a password of Eve’s' })
const linkIn = async (email: string, path: string) => {
  const mail = (await shop.mails()).findLast(({ to, text }) => to === email && text.includes(path))
  const [, id = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(mail?.text ?? '') ?? []
  return { id, token }
}

describe('the seller’s own addresses', () => {
  test.for([support, 'Support@Example.com', seller.email])('%s is refused at checkout', async (email) => {
    await expect(shop.begin(shop.visitor(), { email })).rejects.toMatchObject(refused)
  })

  test('are refused at sign-up; the admin’s gets the same answer as any other account', async () => {
    await expect(signUp('SUPPORT@example.com')).rejects.toMatchObject(refused)
    const customer = await shop.user()
    const answers = await Promise.all(
      [seller.email, customer.user.email].map((email) => signUp(email).catch((error: unknown) => error)),
    )
    expect(answers[0]).toMatchObject({ status: 409 })
    expect(answers[0]).toEqual(answers[1])
    const [found] = await (await shop.admin()).call(accountsAdmin.list, { q: support })
    expect(found).toBeUndefined()
  })

  test('are refused for a change and for a correction of an address', async () => {
    const [person, admin] = [await shop.verifiedUser(), await shop.admin()]
    for (const email of [support, seller.email]) {
      await expect(person.call(credentials.changeEmail, { email })).rejects.toMatchObject(refused)
    }
    await expect(admin.call(customers.adminCorrectEmail, { id: person.user.id, email: support })).rejects.toMatchObject(
      refused,
    )
    expect((await shop.mails()).map(({ subject }) => subject)).not.toContain('Confirm your new email address')
  })

  test('follow the settings: a pending change to the new address is refused, and the old address is free', async () => {
    const [person, admin] = [await shop.verifiedUser(), await shop.admin()]
    await person.call(credentials.changeEmail, { email: 'help@example.com' })
    const link = await linkIn('help@example.com', 'confirm-email')
    await admin.call(settings.adminSave, { SUPPORT_EMAIL: 'Help@example.com' })
    await expect(person.call(credentials.confirmEmail, link)).rejects.toMatchObject(refused)
    expect(await person.call(accounts.profile, {})).toMatchObject({ email: person.user.email })
    await expect(signUp('help@example.com')).rejects.toMatchObject(refused)
    await signUp(support)
    await admin.call(settings.adminSave, { SUPPORT_EMAIL: '' })
  })

  test('stay with the account that has them, which can buy; an admin may change to one', async () => {
    const owner = await shop.verifiedUser()
    const admin = await shop.admin()
    await admin.call(settings.adminSave, { SUPPORT_EMAIL: owner.user.email })
    await shop.buy(owner)
    await admin.call(settings.adminSave, { SUPPORT_EMAIL: 'office@example.com' })
    await admin.call(credentials.changeEmail, { email: 'office@example.com' })
    await admin.call(credentials.confirmEmail, await linkIn('office@example.com', 'confirm-email'))
    expect(await admin.call(accounts.profile, {})).toMatchObject({ email: 'office@example.com' })
  })
})
