import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/accounts.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Person = Awaited<ReturnType<TestShop['user']>>

async function logInFrom(userAgent: string, { user, password }: Person) {
  const visitor = shop.visitor()
  await visitor.call(
    accounts.login,
    { email: user.email, password },
    { headers: { 'content-type': 'application/json', 'user-agent': userAgent } },
  )
  return visitor
}

const newDeviceMails = async ({ user }: Person) =>
  (await shop.mails()).filter(
    ({ to, subject }) => to === user.email && subject === 'New login to your account',
  )

describe('devices', () => {
  test('are listed, the latest first, with the present one marked', async () => {
    const person = await shop.user()
    const phone = await logInFrom('A phone', person)
    expect(await phone.call(accounts.devices, {})).toMatchObject([
      { userAgent: 'A phone', isCurrent: true },
      { isCurrent: false },
    ])
  })

  test('can be logged out one by one', async () => {
    const person = await shop.user()
    const phone = await logInFrom('A phone', person)
    const other = (await person.call(accounts.devices, {})).find((device) => !device.isCurrent)
    await person.call(accounts.logoutDevice, { id: other?.id ?? '' })
    expect(await phone.call(accounts.user, {})).toBeNull()
    expect(await person.call(accounts.user, {})).toEqual(person.user)
    await expect(person.call(accounts.logoutDevice, { id: other?.id ?? '' })).rejects.toMatchObject({
      status: 404,
      serverMessage: 'Device not found',
    })
  })

  test('can be logged out all at once', async () => {
    const [person, bystander] = [await shop.user(), await shop.user()]
    const phone = await logInFrom('A phone', person)
    await phone.call(accounts.logoutEverywhere, {})
    for (const visitor of [phone, person]) expect(await visitor.call(accounts.user, {})).toBeNull()
    expect(await bystander.call(accounts.user, {})).toEqual(bystander.user)
  })
})

describe('a login from a new device', () => {
  test('is told by mail, once, and the first one is no news', async () => {
    const person = await shop.user()
    expect(await newDeviceMails(person)).toEqual([])
    await logInFrom('A phone', person)
    await logInFrom('A phone', person)
    expect(await newDeviceMails(person)).toMatchObject([{ text: expect.stringContaining('A phone') }])
  })

  test('cannot smuggle markup into the mail', async () => {
    const person = await shop.user()
    await logInFrom('<img src=x onerror=alert(1)>', person)
    const [mail] = await newDeviceMails(person)
    expect(mail?.html).not.toContain('<img src=x')
  })
})
