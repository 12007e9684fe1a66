import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { accounts } from '#contract/accounts.ts'
import { staff } from '#contract/staff.ts'
import type { BillingType } from '#contract/statuses.ts'
import { lagByClock } from '#sandbox/quirks.ts'
import { readConfig } from '../config.ts'
import { readOutbox } from '../gateways/outbox.ts'
import { createPasswords, type Passwords } from '../security/passwords.ts'
import { type StartOptions, startShop } from '../start.ts'
import { createBuyers } from './buyers.ts'
import { createTestDatabase } from './test-database.ts'
import { createVisitor } from './visitor.ts'

export type TestShop = Awaited<ReturnType<typeof openShop>>

export type OpenShopOptions = {
  env?: Record<string, string>
  rateLimits?: boolean
  withPages?: boolean
  /** Another shop's database, for tests of two servers side by side. */
  databaseUrl?: string
  /** The initial time; now, unless given. */
  startsAt?: Date
  passwords?: Passwords
  /** Called at named moments; a test may throw there, as if the process had ended. */
  crashPoint?: (name: string) => void
  /** How the sandbox behaves. Payments are under way until the test moves time on, unless given. */
  quirks?: StartOptions['quirks']
  log?: Logger
}

const seller = { email: 'seller@example.com', password: 'the seller of the shop' }

/** The whole server for a test: real database, real jobs, emails into a folder, and browser-like callers. */
export async function openShop({
  env = {},
  rateLimits = false,
  withPages = false,
  databaseUrl,
  startsAt = new Date(),
  passwords = createPasswords(),
  quirks = { lag: lagByClock },
  log = pino({ level: process.env.TEST_LOG ?? 'silent' }),
  crashPoint = () => {},
}: OpenShopOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'))
  const database = databaseUrl ? undefined : await createTestDatabase()
  const clock = createClock(startsAt)
  const config = {
    ...readConfig({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl ?? database?.url,
      ADMIN_EMAIL: seller.email,
      ADMIN_PASSWORD: seller.password,
      // Most tests are about what the seller does by hand.
      TRADINGVIEW: 'off',
      ...env,
    }),
    rateLimits,
  }
  const shop = await startShop(config, {
    log,
    now: clock.now,
    withPages,
    crashPoint,
    passwords,
    quirks,
  })
  // Not its public address, which in production may be somewhere else.
  const url = `http://localhost:${shop.config.port}`
  const sandbox = () => {
    if (!shop.sandbox) throw new Error('Only with the sandbox, not with Stripe’s keys')
    return shop.sandbox
  }
  const buyers = createBuyers({
    url,
    publishableKey: () => sandbox().publishableKey,
    finishPayments: () => sandbox().controls.settle(),
  })
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

  /** The shop's first admin, logged in. */
  async function admin() {
    const visitor = createVisitor(url)
    return { ...visitor, user: await visitor.call(accounts.login, seller), password: seller.password }
  }

  return {
    ...shop,
    ...buyers,
    get sandbox() {
      return sandbox()
    },
    url,
    clock,
    /** Someone with a browser: keeps cookies, calls the contract. */
    visitor: () => createVisitor(url),
    /** Someone who has just signed up. */
    user,
    /** Someone who has signed up and used a link emailed to them. */
    async verifiedUser() {
      const person = await user()
      const { email } = person.user
      await person.call(accounts.requestPasswordReset, { email })
      await shop.queue.idle()
      const mails = (await readOutbox(join(folder, 'outbox'))).filter(({ to }) => to === email)
      const token = mails.map(({ text }) => /token=(\S+)/.exec(text)?.[1]).find(Boolean) ?? ''
      await person.call(accounts.resetPassword, { token, newPassword: person.password })
      await person.call(accounts.login, { email, password: person.password })
      return person
    },
    /** Someone who has signed up and bought. */
    async buyer(given: { billing?: BillingType; card?: string; laterCard?: string; email?: string } = {}) {
      const { email, ...wanted } = given
      const buyer = await user(email ? { email } : {})
      return { ...buyer, purchase: await buyers.buy(buyer, wanted) }
    },
    /**
     * Until every payment is finished, every webhook has arrived and every job is done; Stripe's own webhooks cannot
     * reach a test, so it asks.
     */
    async settle() {
      await shop.sandbox?.controls.settle()
      await (shop.sandbox ? shop.sandbox.controls.webhooks.flush() : shop.queue.runNow('reconcile'))
      await shop.queue.idle()
    },
    /** Time passes, for the shop and for Stripe. */
    async advance(count: number, unit: 'day' | 'month' | 'year' | 'hour' | 'minute') {
      const { controls } = sandbox()
      const before = await controls.now()
      await controls.advance(count, unit)
      clock.advance({ minutes: ((await controls.now()) - before) / 60 })
      await controls.webhooks.flush()
      await shop.queue.idle()
    },
    /** The minute passes in which a grant by hand can be undone: buyers are told, keys are deleted. */
    async afterUndo() {
      clock.advance({ minutes: 1.1 })
      await shop.queue.runNow('announce-grants')
      await shop.queue.idle()
    },
    admin,
    /** Someone whom the admin made support, logged in. */
    async support() {
      const person = await user()
      await (await admin()).call(staff.adminSetRole, { id: person.user.id, role: 'support' })
      const { email } = person.user
      return { ...person, user: await person.call(accounts.login, { email, password: person.password }) }
    },
    /** Every email sent so far, oldest first; waits for those still on their way. */
    async mails() {
      await shop.queue.idle()
      return readOutbox(join(folder, 'outbox'))
    },
    async close() {
      await shop.close()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

/** Time that a test can move. */
function createClock(startsAt: Date) {
  let offset = startsAt.getTime() - Date.now()
  return {
    now: () => new Date(Date.now() + offset),
    advance: (by: { days?: number; hours?: number; minutes?: number }) => {
      offset += ((by.days ?? 0) * 24 * 60 + (by.hours ?? 0) * 60 + (by.minutes ?? 0)) * 60_000
    },
  }
}
