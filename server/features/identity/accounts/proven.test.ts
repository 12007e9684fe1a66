import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { users } from '#server/database/schema.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

/** Stranger and owner act in any order, and only the owner reads the mailbox. After the owner's proof, the stranger can't log in. */

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Visitor = ReturnType<TestShop['visitor']>
const strangerActions = ['sign up', 'buy as guest', 'add factor', 'change away', 'take over address'] as const
const otherActions = ['confirm elsewhere', 'reset', 'undo', 'correct', 'password link'] as const
type Action = (typeof strangerActions)[number] | (typeof otherActions)[number]

let count = 0

/** Performs the actions that are possible, then the owner's reset. Throws if the stranger can still log in. */
async function playActions(actions: Action[]) {
  const email = `mailbox-${(count += 1)}@example.com`
  const strangersEmail = `stranger-${count}@example.com`
  const [stranger, owner, admin] = [shop.visitor(), shop.visitor(), await shop.admin()]
  const passkeys: ReturnType<typeof createAuthenticator>[] = []
  const password = 'the stranger of this'

  /** Groups that the pattern captures in the latest matching email. */
  const captureFromMail = async (to: string, page: RegExp) => {
    const sent = (await shop.mails()).findLast((mail) => mail.to === to && page.test(mail.text))
    return page.exec(sent?.text ?? '')?.slice(1) ?? []
  }
  const addFactor = async () => {
    const passkey = createAuthenticator(shop.url)
    const response = passkey.register(await stranger.call(factors.beginPasskey, {}))
    await stranger.call(factors.addPasskey, { name: 'Planted', response })
    passkeys.push(passkey)
  }
  const proveAddress = async (page: RegExp) => {
    const [token = ''] = await captureFromMail(email, page)
    await owner.call(accounts.resetPassword, { token, newPassword: 'the owner of this' })
  }
  const idOf = async (address: string) => {
    const [found] = await shop.connection.db.select().from(users).where(eq(users.email, address))
    return found?.id ?? ''
  }
  const emailChangeLink = async (to: string, action: 'confirm-email' | 'undo-email') => {
    const [id = '', token = ''] = await captureFromMail(to, new RegExp(`action=${action}&id=(\\S+?)&token=(\\S+)`))
    return { id, token }
  }

  const perform: Record<Action, () => Promise<unknown>> = {
    'sign up': () => stranger.call(accounts.register, { email, password, name: 'Somebody' }),
    'buy as guest': async () => shop.logInGuest(stranger, await shop.guest(stranger, email)),
    'add factor': addFactor,
    'change away': async () => {
      await stranger.call(credentials.changeEmail, { email: strangersEmail })
      await stranger.call(credentials.confirmEmail, await emailChangeLink(strangersEmail, 'confirm-email'))
    },
    'take over address': async () => {
      await stranger.call(accounts.register, { email: `${strangersEmail}.org`, password, name: 'Somebody' })
      await stranger.call(credentials.changeEmail, { email })
      await owner.call(credentials.confirmEmail, await emailChangeLink(email, 'confirm-email'))
    },
    'confirm elsewhere': () => proveAddress(/confirm-address\?token=(\S+)/),
    reset: async () => {
      await owner.call(accounts.requestPasswordReset, { email })
      await proveAddress(/reset-password\?(?:first=1&)?token=(\S+)/)
    },
    undo: async () => owner.call(credentials.undoEmail, await emailChangeLink(email, 'undo-email')),
    correct: async () => admin.call(customers.adminCorrectEmail, { id: await idOf(strangersEmail), email }),
    'password link': async () => {
      const id = await idOf(email)
      if (id) await admin.call(customers.adminSendPasswordLink, { id })
    },
  }
  const attempt = (action: Action) =>
    perform[action]().catch((error: { status?: number }) => {
      if (!error.status || error.status >= 500) throw error
    })

  for (const action of actions) await attempt(action)
  // An address gets a limited number of links an hour.
  shop.clock.advance({ minutes: 61 })
  await attempt('reset')
  const id = await idOf(email)
  if (!id) return
  for (const passkey of passkeys) {
    const thief: Visitor = shop.visitor()
    const response = passkey.authenticate(await thief.call(logins.passkeyOptions, {}))
    const loggedIn = await thief.call(logins.withPasskey, { response }).catch(() => null)
    if (loggedIn?.id === id) throw new Error('The stranger’s passkey opens the owner’s account')
  }
  const loggedIn = await stranger.call(accounts.user, {})
  if (loggedIn?.id === id) throw new Error('The stranger is still logged in to the owner’s account')
  const byPassword = await shop
    .visitor()
    .call(accounts.login, { email, password })
    .catch(() => null)
  if (byPassword) throw new Error('The stranger’s password opens the owner’s account')
}

test('a passkey planted under another address opens nothing after the owner has undone that change', async () => {
  await expect(playActions(['sign up', 'change away', 'add factor', 'undo'])).resolves.toBeUndefined()
  await expect(playActions(['buy as guest', 'change away', 'add factor', 'undo'])).resolves.toBeUndefined()
})

test('once the owner has proven the address, nothing that a stranger did before opens the account', async () => {
  const anyAction = fc.constantFrom(...strangerActions, ...otherActions)
  const games = fc.asyncProperty(fc.array(anyAction, { minLength: 2, maxLength: 8 }), (actions) => playActions(actions))
  await expect(fc.assert(games, { numRuns: 15 })).resolves.toBeUndefined()
})
