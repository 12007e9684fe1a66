import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

test('an admin adds users and other admins, who can log in', async () => {
  const admin = await shop.admin()
  const added = { email: 'Added@Example.com', password: 'added by an admin', name: 'Added' }
  await admin.call(accountsAdmin.add, { ...added, isAdmin: true })
  const user = await shop.visitor().call(accounts.login, { email: added.email, password: added.password })
  expect(user).toMatchObject({ email: 'added@example.com', name: 'Added', isAdmin: true })
  expect(await admin.call(audit.adminList, { q: 'added@example.com' })).toMatchObject([
    { action: 'user.add', detail: { isAdmin: true } },
  ])
})

test('an address that has an account is refused, and nothing is written', async () => {
  const [admin, person] = [await shop.admin(), await shop.user()]
  await expect(
    admin.call(accountsAdmin.add, {
      email: person.user.email,
      password: 'another password',
      name: 'Other',
      isAdmin: true,
    }),
  ).rejects.toMatchObject({ status: 409, serverMessage: 'There is already a user with this email' })
  expect(await person.call(accounts.user, {})).toEqual(person.user)
  expect(await admin.call(audit.adminList, { q: person.user.email })).toEqual([])
})

test('the list counts active and total purchases', async () => {
  const [admin, buyer] = [await shop.admin(), await shop.buyer()]
  expect(await admin.call(accountsAdmin.list, { q: buyer.user.email.toUpperCase() })).toEqual([
    { ...buyer.user, activePurchases: 1, totalPurchases: 1 },
  ])
})

test('the list can be searched by name and email, with % and _ taken literally', async () => {
  const [admin, person] = [await shop.admin(), await shop.user({ name: 'Percy 100%_Percent' })]
  const found = async (q: string) => (await admin.call(accountsAdmin.list, { q })).map(({ email }) => email)
  expect(await found('percy 100%_')).toEqual([person.user.email])
  expect(await found('percy%percent')).toEqual([])
})

test('pages have no gaps, even while people sign up', async () => {
  const admin = await shop.admin()
  const people = []
  for (let count = 0; count < 7; count++) people.push(await shop.user({ name: 'Paged' }))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await admin.callPage(accountsAdmin.list, { limit: 3, q: 'Paged', cursor })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.next
    await shop.user({ name: 'Paged' })
  } while (cursor)
  expect(seen).toEqual(people.map(({ user }) => user.id).toReversed())
})

test.for([
  'garbage',
  Buffer.from('1 2').toString('base64url'),
  Buffer.from('9999999999999999 x').toString('base64url'),
  '%00',
])('the cursor %s is refused with a message', async (cursor) => {
  const admin = await shop.admin()
  await expect(admin.call(accountsAdmin.list, { cursor })).rejects.toMatchObject({
    status: 400,
    serverMessage: 'This is not a valid cursor',
  })
})
