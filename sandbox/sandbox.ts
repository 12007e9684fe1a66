import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { type Call, createApi } from './api/api.ts'
import { coalesce } from './basics.ts'
import { createClock } from './billing/clock.ts'
import { openBooks } from './books.ts'
import { createBrowser, type MayControl } from './browser/browser.ts'
import { createControls } from './controls.ts'
import { serveApi } from './http.ts'
import { type Quirks, usual } from './quirks.ts'
import { type Keys, prepareKeys } from './schema.ts'
import { createWebhooks } from './webhooks.ts'

export type SandboxOptions = {
  /** The sandbox keeps its books here, in a schema of its own that it creates itself. */
  database: pg.Pool
  /** Where browsers reach the shop; links to hosted invoices start with it. */
  publicUrl: string
  /** Receiver of signed events, and their types (default: all). */
  webhook: { url: string; secret: string; events?: string[] }
  /** False while the shop starts: events wait for it. */
  isListening?: () => boolean
  /** To play a Stripe account: its keys, in place of the sandbox's own. */
  keys?: Keys
  /** Printed on invoices. */
  businessName?: string
  /** Restricts the control page; open to everyone by default. */
  mayControl?: MayControl
  /** Where its usual behavior is to differ from Stripe's. */
  quirks?: Partial<Quirks>
  log?: (message: string, detail?: object) => void
}

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>

const tickEvery = 5000
const lookForWebhooksEvery = 1000
const forgetKeysEvery = 3_600_000

/** A Stripe-compatible service. Any number of processes may open it on one database. */
export async function openSandbox(options: SandboxOptions) {
  const { database, publicUrl, webhook, log = () => {} } = options
  const keys = await prepareKeys(database, options.keys)
  const alarms = new Set<NodeJS.Timeout>()
  function onDue(seconds: number) {
    const alarm = setTimeout(() => {
      alarms.delete(alarm)
      void ticks.run()
    }, Math.max(seconds, 0) * 1000)
    alarms.add(alarm.unref())
  }
  const books = openBooks(database, {
    publicUrl,
    usual: { ...usual, ...options.quirks },
    wanted: webhook.events ?? ['*'],
    onDue,
  })
  const webhooks = createWebhooks(database, webhook, log, options.isListening)
  const clock = createClock(books)

  const ticks = coalesce(async () => {
    await clock
      .tick()
      .catch((error: unknown) => log('The sandbox could not run what was due', { error: String(error) }))
    void webhooks.wake()
  })

  const listeners = new Set<(call: Call) => void>()
  const api = createApi({
    books,
    keys,
    changed: () => void webhooks.wake(),
    clockMoved: () => void ticks.run(),
    recorded: (call) => {
      for (const listener of listeners) listener(call)
    },
  })
  const controls = createControls({ books, clock, webhooks })
  const browser = createBrowser({
    api,
    books,
    controls,
    publishableKey: keys.publishableKey,
    businessName: options.businessName ?? 'Test shop',
    mayControl: options.mayControl ?? (() => true),
    log,
  })

  const server = createServer((request, response) => void serveApi(api, request, response, log))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const forgetOldKeys = () =>
    database
      .query(`delete from sandbox.idempotency where created < now() - interval '24 hours'`)
      .catch((error: unknown) => log('Old idempotency keys could not be deleted', { error: String(error) }))
  const timers = [
    setInterval(() => void ticks.run(), tickEvery),
    setInterval(() => void webhooks.wake(), lookForWebhooksEvery),
    setInterval(() => void forgetOldKeys(), forgetKeysEvery),
  ]
  for (const timer of timers) timer.unref()

  return {
    /** For `new Stripe(secretKey, api)`; reachable only from this machine. */
    api: { protocol: 'http' as const, host: '127.0.0.1' as const, port: (server.address() as AddressInfo).port },
    ...keys,
    /** From now on, only this secret key works. */
    async rollKey(secretKey: string) {
      await database.query('update sandbox.settings set secret_key = $1', [secretKey])
      keys.secretKey = secretKey
    },
    /** Serves everything under `/_sandbox/`; returns false, untouched, for anything else. */
    browser: (request: IncomingMessage, response: ServerResponse) => browser(request, response),
    scriptUrl: '/_sandbox/stripe.js' as const,
    controls,
    onCall: (listener: (call: Call) => void) => void listeners.add(listener),

    async close() {
      for (const timer of [...timers, ...alarms]) clearTimeout(timer)
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeIdleConnections()
      })
      await ticks.idle()
      await webhooks.close()
    },
  }
}
