import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { lagByClock } from '#sandbox/quirks.ts'
import { readConfig } from '../config.ts'
import { readOutbox, type SentMail } from '../gateways/outbox.ts'
import type { PasswordCost, Passwords } from '../security/passwords.ts'
import { type StartOptions, startShop } from '../start.ts'
import { createBuyers } from './buyers.ts'
import { createPeople, seller } from './people.ts'
import { createTestDatabase } from './test-database.ts'

export type TestShop = Awaited<ReturnType<typeof openShop>>

export type OpenShopOptions = {
  env?: Record<string, string>
  rateLimits?: boolean
  withPages?: boolean
  /** Unit tests run scheduled work with `queue.runNow`, so that no result depends on the time of day. */
  withSchedules?: boolean
  /** Another shop's database, for tests of two servers side by side. */
  databaseUrl?: string
  /** Initial time of the shop's clock; the present by default. */
  startsAt?: Date
  /** Cost of password hashing; the cheapest by default. */
  passwordCost?: PasswordCost
  /** Passwords of the test. Not for the built shop, whose classes are different objects. */
  passwords?: Passwords
  /** Called at named crash points; a test may throw there, as if the process had ended. */
  crashPoint?: (name: string) => void
  /** Behavior of the sandbox. By default, payments and webhooks wait until `settle` or `advance`. */
  quirks?: StartOptions['quirks']
  /** Folder of the product files. */
  products?: string
  /** Address of the test's own stand-in for Stripe. */
  stripeAddress?: StartOptions['stripeAddress']
  lockWaitMs?: number
  /** Browser tests start the shop from the build. */
  start?: typeof startShop
  log?: Logger
}

/** Cheapest hashing that argon2 accepts. */
const leastCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** Holds webhooks and payments back until the test settles or advances, so that no result depends on the machine's speed. */
const waitsForTheTest = { lag: lagByClock, delaySeconds: 3600 }

/** The whole server for a test: real database, real jobs, emails into a folder, and browser-like callers. */
export async function openShop({
  env = {},
  rateLimits = false,
  withPages = false,
  withSchedules = false,
  databaseUrl,
  startsAt = new Date(),
  passwordCost = leastCost,
  passwords,
  quirks = waitsForTheTest,
  log = pino({ level: process.env.TEST_LOG ?? 'silent' }),
  crashPoint = () => {},
  products,
  stripeAddress,
  lockWaitMs,
  start = startShop,
}: OpenShopOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'))
  // Read before anything that takes time, so that the shop's clock is not behind Stripe's.
  const clock = createClock(startsAt)
  const database = databaseUrl ? undefined : await createTestDatabase()
  const config = {
    ...readConfig({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl ?? database?.url,
      ADMIN_EMAIL: seller.email,
      ADMIN_PASSWORD: seller.password,
      // Without the connector, because most tests are about access that the seller gives by hand.
      TRADINGVIEW: 'off',
      ...env,
    }),
    rateLimits,
  }
  const shop = await start(config, {
    log,
    now: clock.now,
    withPages,
    withSchedules,
    crashPoint,
    passwordCost,
    ...(passwords ? { passwords } : {}),
    quirks,
    ...(products ? { products } : {}),
    ...(stripeAddress ? { stripeAddress } : {}),
    lockWaitMs,
  })
  // Not the public address, which may be another host in production.
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
  const known = new Map<string, SentMail>()
  /** Every email sent so far, oldest first; waits for those still on their way. */
  async function mails() {
    await shop.queue.waitUntilIdle()
    return readOutbox(join(folder, 'outbox'), known)
  }

  return {
    ...shop,
    ...buyers,
    ...createPeople({ url, buy: buyers.buy, mails }),
    get sandbox() {
      return sandbox()
    },
    url,
    clock,
    /**
     * Waits until every payment is finished, every webhook has arrived and every job is done.
     * Stripe's own webhooks cannot reach a test, so the reconciler asks Stripe.
     */
    async settle() {
      await shop.sandbox?.controls.settle()
      await (shop.sandbox ? shop.sandbox.controls.webhooks.flush() : shop.queue.runNow('reconcile'))
      await shop.queue.waitUntilIdle()
    },
    /** Moves the clocks of the shop and of Stripe. */
    async advance(count: number, unit: 'day' | 'month' | 'year' | 'hour' | 'minute') {
      const { controls } = sandbox()
      // Moves the shop's clock first, because an event about the new time may arrive immediately.
      const [from, to] = [await controls.now(), await controls.after(count, unit)]
      clock.advance({ minutes: (to - from) / 60 })
      await controls.advance(count, unit)
      await controls.webhooks.flush()
      await shop.queue.waitUntilIdle()
    },
    /** Call this after a test that moves the clock, or the next test would renew every earlier subscription. */
    stopBilling: () => sandbox().controls.stopBilling(),
    /** Ends the undo window of a minute after a grant by hand: buyers are told, keys are deleted. */
    async afterUndo() {
      clock.advance({ minutes: 1.1 })
      await shop.queue.runNow('announce-access')
      await shop.queue.waitUntilIdle()
    },
    mails,
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
