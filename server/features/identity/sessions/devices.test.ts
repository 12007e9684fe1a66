import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

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
  (await shop.mails()).filter(({ to, subject }) => to === user.email && subject === 'New login to your account')

describe('devices', () => {
  test('are listed, most recent first, with the current one marked', async () => {
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
    const otherDevice = (await person.call(accounts.devices, {})).find((device) => !device.isCurrent)
    await person.call(accounts.logoutDevice, { id: otherDevice?.id ?? '' })
    expect(await phone.call(accounts.user, {})).toBeNull()
    expect(await person.call(accounts.user, {})).toEqual(person.user)
    await expect(person.call(accounts.logoutDevice, { id: otherDevice?.id ?? '' })).rejects.toMatchObject({
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

const chrome = (system: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 http://evil.example`

describe('a login from a new device', () => {
  test('is reported by email once, except for the very first', async () => {
    const person = await shop.verifiedUser()
    expect(await newDeviceMails(person)).toEqual([])
    await logInFrom(chrome('X11; Linux x86_64'), person)
    await logInFrom(chrome('X11; Linux x86_64'), person)
    expect(await newDeviceMails(person)).toMatchObject([{ text: expect.stringContaining('Chrome on Linux') }])
  })

  test('is reported without any text that the browser supplied', async () => {
    const person = await shop.verifiedUser()
    await logInFrom(`${chrome('Windows')} <img src=x onerror=alert(1)>`, person)
    const [mail] = await newDeviceMails(person)
    expect(mail?.text).toContain('Chrome on Windows')
    for (const part of [mail?.html, mail?.text]) expect(part).not.toMatch(/evil|<img src=x|Mozilla/)
  })

  test('sends no email to an unverified address, and at most three a day to others', async () => {
    const [stranger, person] = [await shop.user(), await shop.verifiedUser()]
    for (let number = 0; number < 6; number++) {
      await logInFrom(`Phone ${number}`, stranger)
      await logInFrom(`Phone ${number}`, person)
    }
    expect(await newDeviceMails(stranger)).toEqual([])
    expect(await newDeviceMails(person)).toHaveLength(3)
  })
})

test('a name that an email client would turn into a link is refused', async () => {
  for (const name of ['Claim at evil.example', 'https://evil', 'www.evil', 'me@evil.example', 'evil。example'])
    await expect(shop.user({ name })).rejects.toMatchObject({
      status: 400,
      fields: {
        name: 'Please enter your name without links, email addresses or phone numbers, and with a space after a dot',
      },
    })
  for (const name of ['J.R.R. Tolkien', 'Dr. Ada Lovelace', "Conan O'Brien Jr.", 'Ümit-Jean']) await shop.user({ name })
})
