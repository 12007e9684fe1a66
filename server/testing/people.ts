import { randomUUID } from 'node:crypto'
import { accounts } from '#contract/identity/accounts.ts'
import { staff } from '#contract/identity/staff.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { SentMail } from '../gateways/outbox.ts'
import type { createBuyers } from './buyers.ts'
import { createVisitor } from './visitor.ts'

type Given = {
  url: string
  buy: ReturnType<typeof createBuyers>['buy']
  /** Every email sent so far. */
  mails: () => Promise<SentMail[]>
}

export const seller = { email: 'seller@example.com', password: 'the seller of the shop' }

/** Whoever a test needs, each with a browser of their own. */
export function createPeople({ url, buy, mails }: Given) {
  async function user(given: { name?: string; email?: string; password?: string } = {}) {
    const credentials = {
      name: 'Ada Trader',
      email: `ada-${randomUUID()}@example.com`,
      password: 'correct horse battery',
      ...given,
    }
    const visitor = createVisitor(url)
    const signedUp = await visitor.call(accounts.register, credentials)
    return { ...visitor, user: signedUp, password: credentials.password }
  }

  async function admin() {
    const visitor = createVisitor(url)
    return { ...visitor, user: await visitor.call(accounts.login, seller), password: seller.password }
  }

  /** Someone who has signed up and used a link emailed to them. */
  async function verifiedUser() {
    const person = await user()
    const { email } = person.user
    await person.call(accounts.requestPasswordReset, { email })
    const sent = (await mails()).filter(({ to }) => to === email)
    const token = sent.map(({ text }) => /token=(\S+)/.exec(text)?.[1]).find(Boolean) ?? ''
    await person.call(accounts.resetPassword, { token, newPassword: person.password })
    await person.call(accounts.login, { email, password: person.password })
    return person
  }

  return {
    /** Someone with a browser: keeps cookies, calls the contract. */
    visitor: () => createVisitor(url),
    /** Someone who has just signed up. */
    user,
    /** The shop's first admin, logged in. */
    admin,
    verifiedUser,
    /** Someone who has signed up and bought. */
    async buyer(given: { billing?: BillingType; card?: string; laterCard?: string; email?: string } = {}) {
      const { email, ...wanted } = given
      const buyer = await user(email ? { email } : {})
      return { ...buyer, purchase: await buy(buyer, wanted) }
    },
    /** Someone whom the admin made support, logged in. */
    async support() {
      const person = await verifiedUser()
      await (await admin()).call(staff.adminSetRole, { id: person.user.id, role: 'support' })
      const { email } = person.user
      return { ...person, user: await person.call(accounts.login, { email, password: person.password }) }
    },
  }
}
