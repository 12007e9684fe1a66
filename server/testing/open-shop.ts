import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { lagByClock } from '#sandbox/quirks.ts'
import { readConfig } from '../config.ts'
import { readOutbox, type SentMail } from '../gateways/outbox.ts'
import { paths } from '../paths.ts'
import type { PasswordCost, PasswordHasher } from '../security/password-hasher.ts'
import type { StartOptions, startShop } from '../start.ts'
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
  databaseUrl?: string
  startsAt?: Date
  passwordCost?: PasswordCost
  /** Not for the built shop, whose classes are different objects. */
  passwordHasher?: PasswordHasher
  /** A test may throw there, as if the process had ended. */
  crashPoint?: (name: string) => void
  /** By default, payments and webhooks wait until `settle` or `advance`. */
  quirks?: StartOptions['quirks']
  /** Added to the copied products, or in place of them, by file name. */
  productFiles?: Record<string, string>
  stripeAddress?: StartOptions['stripeAddress']
  lockWaitMs?: number
  /** Browser tests start the shop from the build. */
  start?: typeof startShop
  log?: Logger
}

const cheapestHashing = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** No result may depend on the speed of the machine. */
const heldUntilSettled = { lag: lagByClock, delaySeconds: 3600 }

export async function openShop({
  env = {},
  rateLimits = false,
  withPages = false,
  withSchedules = false,
  databaseUrl,
  startsAt = new Date(),
  passwordCost = cheapestHashing,
  passwordHasher,
  quirks = heldUntilSettled,
  log = pino({ level: process.env.TEST_LOG ?? 'silent' }),
  crashPoint = () => {},
  productFiles,
  stripeAddress,
  lockWaitMs,
  start,
}: OpenShopOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'))
  // Starts before anything that takes time, so that the clock is not behind Stripe's.
  const clock = createClock(startsAt)
  const database = databaseUrl ? undefined : await createTestDatabase()
  async function removeFiles() {
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }
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
  // Loaded only if needed, because browser tests start the built shop, and loading the sources takes seconds.
  const startTestShop = start ?? (await import('../start.ts')).startShop
  const shop = await startTestShop(config, {
    log,
    now: clock.now,
    withPages,
    withSchedules,
    crashPoint,
    passwordCost,
    passwordHasher,
    quirks,
    products: productFiles && writeProducts(folder, productFiles),
    stripeAddress,
    lockWaitMs,
  }).catch(async (error: unknown) => {
    await removeFiles()
    throw error
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
  const mailCache = new Map<string, SentMail>()
  /** Oldest first. Waits for emails that are still on their way. */
  async function mails() {
    await shop.queue.waitUntilIdle()
    return readOutbox(join(folder, 'outbox'), mailCache)
  }

  async function close() {
    await shop.close()
    await removeFiles()
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
    /** Without the sandbox, the reconciler asks Stripe, because Stripe's webhooks cannot reach a test. */
    async settle() {
      if (shop.sandbox) {
        await shop.sandbox.controls.settle()
        await shop.sandbox.controls.webhooks.flush()
      } else await shop.queue.runNow('reconcile')
      await shop.queue.waitUntilIdle()
    },
    async advance(count: number, unit: 'day' | 'month' | 'year' | 'hour' | 'minute') {
      const { controls } = sandbox()
      // Moves the shop's clock first, because an event about the new time may arrive immediately.
      const secondsNow = await controls.now()
      const secondsAfter = await controls.after(count, unit)
      clock.advance({ minutes: (secondsAfter - secondsNow) / 60 })
      await controls.advance(count, unit)
      await controls.webhooks.flush()
      await shop.queue.waitUntilIdle()
    },
    /** After a test that moves the clock, the next one would renew every earlier subscription. */
    stopBilling: () => sandbox().controls.stopBilling(),
    /** Ends the minute in which a grant by hand can be undone. */
    async endUndoMinute() {
      clock.advance({ minutes: 1.1 })
      await shop.queue.runNow('announce-access')
      await shop.queue.waitUntilIdle()
    },
    mails,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function writeProducts(folder: string, files: Record<string, string>) {
  const products = join(folder, 'products')
  cpSync(paths.products, products, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(products, name), text)
  return products
}

function createClock(startsAt: Date) {
  let offset = startsAt.getTime() - Date.now()
  return {
    now: () => new Date(Date.now() + offset),
    advance: (by: { days?: number; hours?: number; minutes?: number }) => {
      offset += ((by.days ?? 0) * 24 * 60 + (by.hours ?? 0) * 60 + (by.minutes ?? 0)) * 60_000
    },
  }
}
