import { randomUUID } from 'node:crypto'
import { accounts } from '#contract/identity/accounts.ts'
import { staff } from '#contract/identity/staff.ts'
import type { Role } from '#contract/permissions.ts'
import type { SentMail } from '../gateways/outbox.ts'
import type { createBuyers } from './buyers.ts'
import { createVisitor, type Visitor } from './visitor.ts'

type PeopleDeps = { url: string; buy: ReturnType<typeof createBuyers>['buy']; mails: () => Promise<SentMail[]> }

export const seller = { email: 'seller@example.com', password: 'the seller of the shop' }

export function createPeople({ url, buy, mails }: PeopleDeps) {
  async function user(input: { name?: string; email?: string; password?: string } = {}) {
    const credentials = {
      name: 'Ada Trader',
      email: `ada-${randomUUID()}@example.com`,
      password: 'correct horse battery',
      ...input,
    }
    const visitor = createVisitor(url)
    const signedUp = await visitor.call(accounts.register, credentials)
    return { ...visitor, user: signedUp, password: credentials.password }
  }

  async function confirm(person: Pick<Visitor, 'call'> & { user: { email: string } }) {
    const { email } = person.user
    const link = /confirm-address\?token=(\S+)/
    const sent = (await mails()).findLast(({ to, text }) => to === email && link.test(text))
    await person.call(accounts.confirmAddress, { token: link.exec(sent?.text ?? '')?.[1] ?? '' })
  }

  async function choosePassword(person: Pick<Visitor, 'call'>, email: string, password: string) {
    const link = /reset-password\?(?:\S*&)?token=(\S+)/
    const sent = (await mails()).findLast(({ to, text }) => to === email && link.test(text))
    const token = link.exec(sent?.text ?? '')?.[1] ?? ''
    await person.call(accounts.resetPassword, { token, newPassword: password })
    return person.call(accounts.login, { email, password })
  }

  async function admin() {
    const visitor = createVisitor(url)
    return { ...visitor, user: await visitor.call(accounts.login, seller), password: seller.password }
  }

  async function verifiedUser(input: Parameters<typeof user>[0] = {}) {
    const person = await user(input)
    await confirm(person)
    return { ...person, user: { ...person.user, isProven: true } }
  }

  return {
    visitor: () => createVisitor(url),
    user,
    admin,
    verifiedUser,
    confirm,
    choosePassword,
    async buyer({ email, ...purchaseInput }: Parameters<typeof buy>[1] & { email?: string } = {}) {
      const buyer = await user(email ? { email } : {})
      return { ...buyer, purchase: await buy(buyer, purchaseInput) }
    },
    async staff(role: Role) {
      const person = await verifiedUser()
      await (await admin()).call(staff.adminSetRole, { id: person.user.id, role })
      return { ...person, user: await choosePassword(person, person.user.email, person.password) }
    },
  }
}
