import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hash, verify } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { logins } from '#contract/identity/logins.ts'
import { createPasswordHasher } from '#server/security/password-hasher.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { watchStatements } from '#server/testing/watch-statements.ts'

/** Neither answer nor timing may reveal whether an address has an account. Timing is noisy, so these tests compare the work. */
const costs: string[] = []
const passwordHasher = createPasswordHasher({
  argon2: {
    hash,
    verify(passwordHash, password) {
      costs.push(/^\$argon2id\$v=\d+\$[^$]+/.exec(String(passwordHash))?.[0] ?? 'none')
      return verify(passwordHash, password)
    },
  },
})

// A job that the request has queued may run before the answer is sent. Its work is not counted.
const duringRequest = new AsyncLocalStorage<true>()

let shop: TestShop
let addresses: Record<'a customer' | 'a guest who has no password yet' | 'nobody', string>
beforeAll(async () => {
  shop = await openShop({ passwordHasher })
  const customer = await shop.user()
  const guest = await shop.guest(shop.visitor())
  await shop.settle()
  addresses = {
    'a customer': customer.user.email,
    'a guest who has no password yet': guest.email,
    nobody: 'nobody@example.com',
  }
})
afterAll(() => shop.close())

async function requestAndMeasure(path: string, body: object) {
  const mailsBefore = (await shop.mails()).length
  costs.length = 0
  const watch = watchStatements(shop.connection, () => duringRequest.getStore() === true)
  const work = new Promise<{ hashes: string[]; statements: string[] }>((resolve) => {
    function watchRequest(request: IncomingMessage, response: ServerResponse) {
      // Skips other requests, such as a webhook that arrives at the same moment.
      if (request.url !== path) return
      shop.app.server.off('request', watchRequest)
      duringRequest.enterWith(true)
      response.once('finish', () => {
        const statements = watch.stop().map(({ text }) => text)
        resolve({ hashes: [...costs], statements })
      })
    }
    shop.app.server.prependListener('request', watchRequest)
  })
  const response = await shop
    .visitor()
    .fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const measured = { status: response.status, answer: await response.text(), ...(await work) }
  return { measured, mails: (await shop.mails()).slice(mailsBefore).map(({ to }) => to) }
}

test('a login does the same work for every address', async () => {
  const results = []
  for (const email of Object.values(addresses))
    results.push(await requestAndMeasure(accounts.login.path, { email, password: 'not the password' }))
  const [first] = results
  expect(results).toEqual(results.map(() => first))
  expect(first?.measured).toMatchObject({ status: 401, hashes: ['$argon2id$v=19$m=19456,t=2,p=1'] })
  expect(first?.measured.statements).not.toEqual([])
  expect(first?.mails).toEqual([])
})

test.for([accounts.requestPasswordReset, logins.requestLink])(
  '$path does the same work for every address, and the email comes later',
  async ({ path }) => {
    const results = []
    for (const email of Object.values(addresses)) results.push({ email, ...(await requestAndMeasure(path, { email })) })
    const [first] = results
    expect(results.map(({ measured }) => measured)).toEqual(results.map(() => first?.measured))
    expect(first?.measured).toMatchObject({ status: 200, hashes: [] })
    expect(first?.measured.statements).not.toEqual([])
    expect(results.map(({ email, mails }) => ({ email, mails }))).toEqual([
      { email: addresses['a customer'], mails: [addresses['a customer']] },
      { email: addresses['a guest who has no password yet'], mails: [addresses['a guest who has no password yet']] },
      { email: addresses.nobody, mails: [] },
    ])
  },
)
