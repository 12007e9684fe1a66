import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { access } from '#contract/access/access.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { crashMany, moments, startProcess } from '#server/testing/crashes.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { query } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { details, fault, sized } from './fault.ts'

const limit = sized(
  { shops: 2, killsEach: 250, killsAtTradingView: 200 },
  // Each moment once, half of them in each shop.
  { killsEach: moments.length / 2 },
)

fault('kills around every commit', async ({ shop, lab }) => {
  await shop.stop()
  // Several shops at the same time, each on its own database: a single one leaves half the machine idle.
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
})

type Running = NonNullable<Awaited<ReturnType<typeof startProcess>>>

/** A job whose process was killed is taken up by another after about 15 seconds. */
const patienceSeconds = 120

/** TradingView has let somebody in or thrown somebody out, and the shop dies before it can write that down. */
fault(
  'kills between TradingView and the books',
  async ({ shop, lab }) => {
    await shop.stop()
    // Empty: in the others, another shop's key has sealed the session.
    const databaseUrl = await lab.createDatabase({ empty: true })
    const place = { databaseUrl, dataDir: mkdtempSync(join(shop.dataDir, 'unlocking-')) }
    const complaints: string[] = []
    let kills = 0
    for (let number = 0; number < limit.killsAtTradingView; number++) {
      // The first script is unlocked, then the second; after a refund, the first is locked again.
      const count = 1 + (number % 3)
      const env = { TRADINGVIEW: 'on', CRASH_AT: 'tradingview acted', CRASH_COUNT: String(count) }
      const running = await startProcess(place, env)
      // Without one, it died while it took up what the one before had left.
      if (!running || (await diesWith(running, count === 3))) kills += 1
      else complaints.push(`${number}: TradingView was not asked for the ${count}. time`)
    }
    const last = await startProcess(place, { TRADINGVIEW: 'on' })
    let wrong = await differences(databaseUrl)
    for (let waited = 0; wrong.length > 0 && waited < patienceSeconds; waited++) {
      await setTimeout(1000)
      wrong = await differences(databaseUrl)
    }
    last?.child.kill('SIGKILL')
    const [people] = await query<{ paid: number; gone: number }>(
      databaseUrl,
      `select count(reason)::int as paid, (count(*) - count(reason))::int as gone
     from access where name_key is not null`,
    )
    const { paid = 0, gone = 0 } = people ?? {}
    return {
      ok: kills === limit.killsAtTradingView && wrong.length === 0 && paid > 0,
      figures: `${kills} kills: ${paid} people paid, ${gone} were refunded; ${wrong.length} names not on TradingView’s lists exactly as paid${details([...complaints, ...wrong])}`,
    }
  },
  { quick: false },
)

/** Somebody buys with a name, and perhaps wants the money back. False if the shop survives it. */
async function diesWith({ child, url, sandbox, ask }: Running, wantsRefund: boolean) {
  const exit = child.signalCode ? Promise.resolve() : once(child, 'exit')
  const visitor = createVisitor(url)
  const { begin, pay, logInGuest } = createBuyers({ url, publishableKey: () => sandbox.publishableKey })
  async function live() {
    // Names that look alike would be taken for misspelled ones.
    const name = `killed_${randomUUID().replaceAll('-', '')}`
    const begun = await begin(visitor, { email: `${name}@example.com`, tradingViewUsername: name })
    await pay(begun)
    await logInGuest(visitor, begun)
    if (!wantsRefund) return
    while ((await visitor.call(access.mine, {}))[0]?.state !== 'unlocked') await setTimeout(100)
    await ask({ refund: begun.paymentIntentId })
  }
  live().catch(() => undefined)
  await Promise.race([exit, setTimeout(60_000, undefined, { ref: false })])
  if (child.signalCode === 'SIGKILL') return true
  child.kill('SIGKILL')
  await exit
  return false
}

/** People who should be listed on a script and are not, or the other way around, or until another day. */
async function differences(databaseUrl: string): Promise<string[]> {
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
