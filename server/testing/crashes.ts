import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'drizzle-orm'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { type Connection, connect } from '../database/connect.ts'
import { readOutbox } from '../gateways/outbox.ts'
import { compareBooks } from './books.ts'
import { createBuyers } from './buyers.ts'
import type { Open, Order } from './crashing-shop.ts'
import { createVisitor } from './visitor.ts'

/** Before and after each commit, and after each change at Stripe. */
const crashPoints = [
  'ended at Stripe',
  'resumed at Stripe',
  'cancelled at Stripe',
  'sync after commit',
  'sync before commit',
  'duplicate cancelled',
  'event before handled',
  'event kept',
  'checkout after commit',
  'checkout before commit',
]

const crashingShop = fileURLToPath(new URL('./crashing-shop.ts', import.meta.url))

type ProcessPaths = { databaseUrl: string; dataDir: string }
type RunningShop = Open & { child: ChildProcess; ask(order: Order): Promise<void> }

/** Undefined if the shop reached its crash point before it was open. */
export async function startProcess(
  processPaths: ProcessPaths,
  env: Record<string, string> = {},
): Promise<RunningShop | undefined> {
  const child = fork(crashingShop, {
    env: {
      ...process.env,
      PORT: '0',
      ADMIN_EMAIL: 'seller@example.com',
      ADMIN_PASSWORD: 'the seller',
      DATABASE_URL: processPaths.databaseUrl,
      DATA_DIR: processPaths.dataDir,
      ...env,
    },
  })
  const gone = once(child, 'exit').then(() => {
    throw new Error('The shop is gone')
  })
  gone.catch(() => {})
  // Messages to a process that just died are lost; `gone` reports the death.
  child.on('error', () => {})
  const ready = await Promise.race([once(child, 'message'), gone]).catch(() => undefined)
  if (!ready && child.exitCode !== null) throw new Error(`The shop ended with ${child.exitCode}`)
  if (!ready) return undefined
  return {
    child,
    ...(ready[0] as Open),
    async ask(order) {
      const answer = once(child, 'message')
      child.send(order, () => {})
      const [{ done, error }] = await Promise.race([answer, gone])
      if (!done) throw new Error(error)
    },
  }
}

/** Throws when the shop dies. Uses two devices, because a second checkout in one browser would cancel the first. */
async function runBuyer({ url, sandbox, ask }: RunningShop, email: string) {
  const { begin, pay, logInGuest } = createBuyers({ url, publishableKey: () => sandbox.publishableKey })
  const devices = (['monthly', 'yearly'] as const).map((billing) => ({ visitor: createVisitor(url), billing }))
  const orders = []
  for (const { visitor, billing } of devices) orders.push({ visitor, ...(await begin(visitor, { email, billing })) })
  for (const order of orders) await pay(order)
  // The payment booked first creates the account. The other is a duplicate and logs nobody in.
  let visitor = createVisitor(url)
  for (const order of orders) {
    try {
      await logInGuest(order.visitor, order)
      visitor = order.visitor
    } catch (error) {
      if ((error as { status?: number }).status !== 403) throw error
    }
  }
  const ownPurchases = await visitor.call(purchases.list, {})
  const active = ownPurchases.find(({ status }) => status === 'active')
  if (!active) throw new Error('Neither of the two payments is booked')
  await visitor.call(checkout.confirm, { paymentIntentId: active.paymentIntentId ?? '' })
  await visitor.call(purchases.cancel, { id: active.id })
  await visitor.call(purchases.resume, { id: active.id })
  await ask({ refund: active.paymentIntentId ?? '' })
  await ask({ reconcile: true })
}

/** Jobs of a killed process restart only after their heartbeat is missed. */
export async function jobsAreDone({ db }: Pick<Connection, 'db'>) {
  for (;;) {
    const { rows } = await db.execute(
      sql`select 1 from jobs.job where name in ('mail', 'refund-duplicate') and state < 'completed' limit 1`,
    )
    if (rows.length === 0) return
    await setTimeout(200)
  }
}

type Kills = {
  /** Number of the first kill, which decides its moment. */
  from: number
  times: number
}

async function killMany(processPaths: ProcessPaths, { from, times }: Kills, complain: (complaint: string) => void) {
  let kills = 0
  for (let number = from; number < from + times; number++) {
    const moment = crashPoints[number % crashPoints.length] ?? ''
    const round = Math.floor(number / crashPoints.length)
    // Some crash points are reached only once per buyer, others many times.
    const isRare = /Stripe|duplicate|checkout/.test(moment)
    const count = String(isRare ? 1 : 1 + (round % 4))
    const shop = await startProcess(processPaths, { CRASH_AT: moment, CRASH_COUNT: count })
    if (!shop) {
      kills += 1
      continue
    }
    const exit = once(shop.child, 'exit')
    const outcome = await runBuyer(shop, `buyer-${number}@example.com`).then(
      () => 'though the run was completed',
      (error: unknown) => `because of ${String(error)}`,
    )
    const hasDied = await Promise.race([exit.then(() => true), setTimeout(60_000, false)])
    if (hasDied && shop.child.signalCode === 'SIGKILL') {
      kills += 1
      continue
    }
    complain(`${number}: never reached "${moment}", ${outcome}`)
    shop.child.kill('SIGKILL')
    await exit
  }
  return kills
}

export async function crashMany(processPaths: ProcessPaths, { from, times }: Kills) {
  const complaints: string[] = []
  const kills = await killMany(processPaths, { from, times }, (complaint) => complaints.push(complaint))
  const shop = await startProcess(processPaths)
  if (!shop) throw new Error('The shop did not start after the last kill')
  const connection = connect(processPaths.databaseUrl, () => {})
  try {
    await shop.ask({ reconcile: true })
    await jobsAreDone(connection)
    const { booked, wanted } = await compareBooks({ connection })
    const mails = await readOutbox(join(processPaths.dataDir, 'outbox'))
    return {
      ...findFaults({ booked, wanted, subjects: mails.map(({ subject }) => subject) }, complaints),
      kills,
      payments: booked.length,
      mails: mails.length,
    }
  } finally {
    await connection.close()
    const exit = once(shop.child, 'exit')
    shop.child.kill('SIGKILL')
    await exit
  }
}

type Books = Awaited<ReturnType<typeof compareBooks>>

/** Of two payments by one account, the second must be booked as a duplicate and refunded. */
function findFaults({ booked, wanted, subjects }: Books & { subjects: string[] }, complaints: string[]) {
  const isDuplicate = ({ endedBecause }: Books['booked'][number]) => endedBecause === 'duplicate'
  const duplicates = new Set(booked.filter(isDuplicate).map(({ id }) => id))
  const inBooks = new Map(booked.map((row) => [row.id, row]))
  let lost = 0
  for (const expectedRow of wanted) {
    const bookedRow = inBooks.get(expectedRow.id)
    if (!bookedRow) lost += 1
    else if (!isDuplicate(bookedRow) && !isDeepStrictEqual(bookedRow, expectedRow))
      complaints.push(`${expectedRow.id} is ${JSON.stringify(bookedRow)}, but at Stripe ${JSON.stringify(expectedRow)}`)
    else if (isDuplicate(bookedRow) && expectedRow.endedBecause !== 'refunded')
      complaints.push(`${expectedRow.id} is a second payment and was not refunded`)
  }
  const expectedMails = [
    ['Your receipt: Rebound Sigma Pro', booked.length - duplicates.size],
    ['We’re refunding your second payment', duplicates.size],
  ] as const
  let doubled = booked.length - inBooks.size
  for (const [subject, wantedMails] of expectedMails) {
    const sentMails = subjects.filter((sent) => sent === subject).length
    lost += Math.max(0, wantedMails - sentMails)
    doubled += Math.max(0, sentMails - wantedMails)
  }
  return { complaints, lost, doubled, refunded: duplicates.size }
}
