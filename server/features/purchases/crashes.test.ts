import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { checkout } from '#contract/checkout.ts'
import { purchases } from '#contract/purchases.ts'
import { type Connection, connect } from '#server/database/connect.ts'
import { readOutbox } from '#server/gateways/outbox.ts'
import { compareBooks } from '#server/testing/books.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import type { Open, Order } from '#server/testing/crashing-shop.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { createVisitor } from '#server/testing/visitor.ts'

/** How many processes die; `CRASHES=500` for the long run. */
const crashes = Number(process.env.CRASHES ?? 20)

/** Before and after each commit, and after each effect at Stripe. */
const moments = [
  'checkout before commit',
  'checkout after commit',
  'event kept',
  'event before handled',
  'sync before commit',
  'sync after commit',
  'cancelled at Stripe',
  'resumed at Stripe',
  'ended at Stripe',
  'duplicate cancelled',
]

type Running = Open & { child: ChildProcess; ask(order: Order): Promise<void> }

async function start(env: Record<string, string>): Promise<Running> {
  const child = fork(new URL('../../testing/crashing-shop.ts', import.meta.url), {
    env: {
      ...process.env,
      PORT: '0',
      ADMIN_EMAIL: 'seller@example.com',
      ADMIN_PASSWORD: 'the seller',
      ...env,
    },
    execArgv: [],
  })
  const gone = once(child, 'exit').then(() => {
    throw new Error('The shop is gone')
  })
  gone.catch(() => {})
  // What is sent to a process that has just died is lost, as `gone` says.
  child.on('error', () => {})
  const [ready] = await Promise.race([once(child, 'message'), gone])
  return {
    child,
    ...ready,
    async ask(order) {
      const answer = once(child, 'message')
      child.send(order, () => {})
      const [{ done, error }] = await Promise.race([answer, gone])
      if (!done) throw new Error(error)
    },
  }
}

/** Pays in two tabs, comes back, cancels, changes its mind, and gets its money back. It stops where the shop dies. */
async function live({ url, sandbox, ask }: Running, email: string) {
  const visitor = createVisitor(url)
  const { begin, pay } = createBuyers(url, sandbox)
  const tabs = [await begin(visitor, { email }), await begin(visitor, { email, billing: 'yearly' })]
  for (const tab of tabs) await pay(tab)
  const [{ paymentIntentId } = { paymentIntentId: '' }] = tabs
  await visitor.call(checkout.guestPurchaseLogin, { paymentIntentId })
  await visitor.call(checkout.confirm, { paymentIntentId })
  const bought = await visitor.call(purchases.list, {})
  const kept = bought.find(({ status }) => status === 'active')
  if (!kept) return
  await visitor.call(purchases.cancel, { id: kept.id })
  await visitor.call(purchases.resume, { id: kept.id })
  await ask({ refund: kept.paymentIntentId ?? '' })
  await ask({ reconcile: true })
}

/** A job that was running when its process died begins again when its heartbeat is missed. */
async function jobsAreDone({ db }: Connection) {
  for (;;) {
    const { rows } = await db.execute(
      sql`select 1 from jobs.job where name in ('mail', 'pay-back-duplicate') and state < 'completed' limit 1`,
    )
    if (rows.length === 0) return
    await setTimeout(200)
  }
}

test(`${crashes} crashes around every commit lose nothing and double nothing`, {
  timeout: 3_600_000,
}, async () => {
  const database = await createTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'shop-crashes-'))
  const env = { DATABASE_URL: database.url, DATA_DIR: folder }
  const connection = connect(database.url, () => {})
  const died = new Map<string, number>()
  let shop: Running | undefined
  try {
    for (let number = 0; number < crashes; number++) {
      const moment = moments[number % moments.length] ?? ''
      const round = Math.floor(number / moments.length)
      // Some moments come only once in a life, others many times.
      const isRare = /Stripe|duplicate|checkout/.test(moment)
      shop = await start({ ...env, CRASH_AT: moment, CRASH_COUNT: String(isRare ? 1 : 1 + (round % 4)) })
      const exit = once(shop.child, 'exit')
      await live(shop, `buyer-${number}@example.com`).catch(() => {})
      const isDead = await Promise.race([exit.then(() => true), setTimeout(5000, false)])
      // Which of the two payments is booked first is up to the webhooks; a life that was cut short ends here.
      if (!isDead) shop.child.kill('SIGKILL')
      await exit
      const where = isDead ? moment : 'elsewhere'
      died.set(where, (died.get(where) ?? 0) + 1)
    }

    shop = await start(env)
    await shop.ask({ reconcile: true })
    await jobsAreDone(connection)
    const { booked, wanted } = await compareBooks({ connection, sandbox: shop.sandbox })

    // A second payment of one account is booked as such, and at Stripe it is ended and paid back.
    const duplicates = new Set(
      booked.filter(({ endedBecause }) => endedBecause === 'duplicate').map(({ id }) => id),
    )
    const others = <Row extends { id: string }>(rows: Row[]) => rows.filter(({ id }) => !duplicates.has(id))
    expect(others(booked)).toEqual(others(wanted))
    const paidBack = wanted.filter(({ endedBecause }) => endedBecause === 'refunded').map(({ id }) => id)
    expect(paidBack).toEqual(expect.arrayContaining([...duplicates]))

    const mails = readOutbox(join(folder, 'outbox'))
    const count = (subject: string) => mails.filter((mail) => mail.subject === subject).length
    expect(count('Your receipt: Rebound Sigma Pro')).toBe(booked.length - duplicates.size)
    expect(count('We are sending your second payment back')).toBe(duplicates.size)
    expect(count('Set your password')).toBe(new Set(booked.map(({ email }) => email)).size)
    expect([...died.keys()]).toEqual(expect.arrayContaining(moments))
    process.stdout.write(
      `${crashes} crashes, ${booked.length} payments (${duplicates.size} of them paid back as second ones), ${mails.length} mails: ${JSON.stringify(Object.fromEntries(died))}\n`,
    )
  } finally {
    shop?.child.kill('SIGKILL')
    await connection.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
})
