import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { accounts } from '#contract/accounts.ts'
import { createCaller } from '#contract/call.ts'
import { readConfig } from '../config.ts'
import { startShop } from '../start.ts'
import { readOutbox } from './outbox.ts'
import { createTestDatabase } from './test-database.ts'

export type TestShop = Awaited<ReturnType<typeof openShop>>

export type OpenShopOptions = {
  env?: Record<string, string>
  rateLimits?: boolean
  withPages?: boolean
  /** Another shop's database, for tests of two servers side by side. */
  databaseUrl?: string
}

const seller = { email: 'seller@example.com', password: 'the seller of the shop' }

/** The whole server for a test: real database, real jobs, mails into a folder, and callers like browsers. */
export async function openShop({
  env = {},
  rateLimits = false,
  withPages = false,
  databaseUrl,
}: OpenShopOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'))
  const database = databaseUrl ? undefined : await createTestDatabase()
  const clock = createClock()
  const config = {
    ...readConfig({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl ?? database?.url,
      ADMIN_EMAIL: seller.email,
      ADMIN_PASSWORD: seller.password,
      ...env,
    }),
    rateLimits,
  }
  const shop = await startShop(config, {
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    now: clock.now,
    withPages,
  })
  const url = shop.config.publicUrl

  return {
    ...shop,
    url,
    clock,
    /** Someone with a browser: keeps cookies, calls the contract. */
    visitor: () => createVisitor(url),
    /** Someone who has just signed up. */
    async user(given: { name?: string; email?: string; password?: string } = {}) {
      const credentials = {
        name: 'Ada Trader',
        email: `ada-${randomUUID()}@example.com`,
        password: 'correct horse battery',
        ...given,
      }
      const visitor = createVisitor(url)
      const user = await visitor.call(accounts.register, credentials)
      return { ...visitor, user, password: credentials.password }
    },
    /** The shop's first admin, logged in. */
    async admin() {
      const visitor = createVisitor(url)
      const user = await visitor.call(accounts.login, seller)
      return { ...visitor, user, password: seller.password }
    },
    /** Every mail that was sent so far, oldest first; waits for what is still under way. */
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

export type Visitor = ReturnType<typeof createVisitor>

export function createVisitor(url: string) {
  const jar = new Map<string, string>()
  const browse = async (address: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(address, url), { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const [name = '', ...value] = pair.split('=')
      if (
        attributes.some(
          (attribute) => /^\s*max-age=0$/i.test(attribute) || /^\s*expires=Thu, 01 Jan 1970/i.test(attribute),
        )
      )
        jar.delete(name)
      else jar.set(name, value.join('='))
    }
    return response
  }
  return { ...createCaller(browse), fetch: browse, cookies: jar }
}

/** Time that a test can move. */
function createClock() {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    advance: (by: { days?: number; hours?: number; minutes?: number }) => {
      offset += ((by.days ?? 0) * 24 * 60 + (by.hours ?? 0) * 60 + (by.minutes ?? 0)) * 60_000
    },
  }
}
