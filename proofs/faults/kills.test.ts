import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { access } from '#contract/access/access.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { crashMany, startProcess } from '#server/testing/crashes.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { query } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { details, fault } from './fault.ts'

const limit = { shops: 2, killsEach: 250, killsAtTradingView: 200 }

fault(
  'kills around every commit',
  async ({ shop, lab }) => {
    await shop.stop()
    // Two shops at the same time use both cores; each has its own database.
    const outcomes = await concurrently(limit.shops, async (number) =>
      crashMany(
        { databaseUrl: await lab.createDatabase(), dataDir: mkdtempSync(join(shop.dataDir, 'killed-')) },
        { from: number * limit.killsEach, times: limit.killsEach },
      ),
    )
    const sum = (key: 'kills' | 'payments' | 'refunded' | 'mails' | 'lost' | 'doubled') =>
      outcomes.reduce((total, outcome) => total + outcome[key], 0)
    const complaints = outcomes.flatMap((outcome) => outcome.complaints)
    return {
      ok:
        sum('kills') === limit.shops * limit.killsEach &&
        complaints.length === 0 &&
        sum('lost') === 0 &&
        sum('doubled') === 0 &&
        sum('payments') > sum('kills') / 2 &&
        sum('refunded') > 0,
      figures: `${sum('kills')} kills: ${sum('payments')} payments (${sum('refunded')} of them duplicates, refunded), ${sum('mails')} emails, ${sum('lost')} lost, ${sum('doubled')} duplicated${details(complaints)}`,
    }
  },
  { isInQuickRun: false },
)

type Running = NonNullable<Awaited<ReturnType<typeof startProcess>>>

/** A job of a killed process is taken over after about 15 seconds. */
const patienceSeconds = 120

/** The shop is killed after TradingView unlocked or locked someone, and before the shop recorded it. */
fault(
  'kills between TradingView and the books',
  async ({ shop, lab }) => {
    await shop.stop()
    // An empty database, because in a copy the session is sealed with another shop's key.
    const databaseUrl = await lab.createDatabase({ empty: true })
    const place = { databaseUrl, dataDir: mkdtempSync(join(shop.dataDir, 'unlocking-')) }
    const complaints: string[] = []
    let kills = 0
    for (let number = 0; number < limit.killsAtTradingView; number++) {
      // The first script is unlocked, then the second; after a refund, the first is locked again.
      const count = 1 + (number % 3)
      const env = { TRADINGVIEW: 'on', CRASH_AT: 'tradingview acted', CRASH_COUNT: String(count) }
      const running = await startProcess(place, env)
      // No process means that it died at start, while it continued the work of the killed one.
      if (!running || (await buyUntilKilled(running, count === 3))) kills += 1
      else complaints.push(`${number}: TradingView was not asked for the ${count}. time`)
    }
    const last = await startProcess(place, { TRADINGVIEW: 'on' })
    let wrongNames = await findDifferences(databaseUrl)
    for (let waited = 0; wrongNames.length > 0 && waited < patienceSeconds; waited++) {
      await setTimeout(1000)
      wrongNames = await findDifferences(databaseUrl)
    }
    last?.child.kill('SIGKILL')
    const [people] = await query<{ paid: number; gone: number }>(
      databaseUrl,
      `select count(reason)::int as paid, (count(*) - count(reason))::int as gone
     from access where name_key is not null`,
    )
    const { paid = 0, gone = 0 } = people ?? {}
    return {
      ok: kills === limit.killsAtTradingView && wrongNames.length === 0 && paid > 0,
      figures: `${kills} kills: ${paid} people paid, ${gone} were refunded; ${wrongNames.length} names not on TradingView’s lists exactly as paid${details([...complaints, ...wrongNames])}`,
    }
  },
  { isInQuickRun: false },
)

/** Buys with a username, and perhaps refunds. Returns false if the shop was not killed meanwhile. */
async function buyUntilKilled({ child, url, sandbox, ask }: Running, wantsRefund: boolean) {
  const exit = child.signalCode ? Promise.resolve() : once(child, 'exit')
  const visitor = createVisitor(url)
  const { begin, pay, logInGuest } = createBuyers({ url, publishableKey: () => sandbox.publishableKey })
  async function buyAndRefund() {
    // Random, because similar usernames would be taken for misspelled ones.
    const name = `killed_${randomUUID().replaceAll('-', '')}`
    const order = await begin(visitor, { email: `${name}@example.com`, tradingViewUsername: name })
    await pay(order)
    await logInGuest(visitor, order)
    if (!wantsRefund) return
    while ((await visitor.call(access.mine, {}))[0]?.state !== 'unlocked') await setTimeout(100)
    await ask({ refund: order.paymentIntentId })
  }
  buyAndRefund().catch(() => undefined)
  await Promise.race([exit, setTimeout(60_000, undefined, { ref: false })])
  if (child.signalCode === 'SIGKILL') return true
  child.kill('SIGKILL')
  await exit
  return false
}

/** Ignores the entry with which the sandbox starts. */
async function findDifferences(databaseUrl: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    databaseUrl,
    `select coalesce(e.name_key, a.username) as name
     from (select name_key, until, pine_id from access, tv_scripts
       where reason is not null and name_key is not null) e
     full join (select * from sandbox.tradingview_access where username <> 'old_friend_of_mine') a
       on lower(a.username) = e.name_key and a.pine_id = e.pine_id
       and abs(extract(epoch from a.expiration - e.until)) < 60
     where e.name_key is null or a.username is null`,
  )
  return rows.map(({ name }) => name)
}
