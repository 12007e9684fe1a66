import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ConnectionError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { newsletters } from '#contract/site/newsletters.ts'
import { freePort } from '#server/database/free-port.ts'
import { poolSize } from '#server/gateways/mail.ts'
import { startProcess } from '#server/testing/crashes.ts'
import { openSmtp } from '#server/testing/smtp.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { query } from '../lab/lab.ts'
import { memoryOf } from '../lab/measures.ts'
import { seller } from '../lab/shop-process.ts'
import { details, fault, smallHeap } from './fault.ts'

const size = { kills: 4, readers: 200, list: 5000 }
const limit = { growthMb: 60, delaySeconds: 60 }

/** Details without which no newsletter is sent. */
const sellerDetails = {
  SUPPORT_EMAIL: 'help@shop.example',
  SELLER_NAME: 'Ada Lovelace',
  SELLER_STREET: 'Ring 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
}

const addReaders = (databaseUrl: string, count: number) =>
  query(
    databaseUrl,
    `insert into newsletter_subscriptions (email, confirmed_at)
     select 'reader' || n || '@example.com', now() from generate_series(1, $1) n`,
    [count],
  )

async function logIn(url: string, login: { email: string; password: string }) {
  const admin = createVisitor(url)
  // A shop creates its admin after it is ready.
  for (;;) {
    const isLoggedIn = await admin.call(accounts.login, login).then(
      () => true,
      () => false,
    )
    if (isLoggedIn) return admin
    await setTimeout(200)
  }
}

async function sendNewsletter(admin: Awaited<ReturnType<typeof logIn>>) {
  const draft = { subject: 'News', preheader: '', markdown: 'Hello. '.repeat(300) }
  const { id } = await admin.call(newsletters.adminCreate, { ...draft, toSubscribers: true, buyersOf: null })
  await admin.call(newsletters.adminSend, { id, version: 1 })
  return id
}

async function readProgress(databaseUrl: string) {
  const [row] = await query<{ state: string; sent: number; refused: number; uncertain: number }>(
    databaseUrl,
    `select n.state, count(*) filter (where r.state = 'sent')::int as sent,
       count(*) filter (where r.state = 'refused')::int as refused,
       count(*) filter (where r.state in ('uncertain', 'handed_over'))::int as uncertain
     from newsletters n left join newsletter_recipients r on r.newsletter_id = n.id group by n.id`,
  )
  return row ?? { state: 'none', sent: 0, refused: 0, uncertain: 0 }
}

async function waitForState(databaseUrl: string, state: string) {
  while ((await readProgress(databaseUrl)).state !== state) await setTimeout(500)
}

/**
 * Kills the shop several times after the mail server took an email and before the shop recorded it. The mail server also
 * refuses some emails, defers others, and is down for a while.
 */
fault(
  'kills between a newsletter’s hand-over and its commit',
  async ({ shop, lab }) => {
    await shop.stop()
    const deferred = new Set<string>()
    const faults = {
      refuse(to: string) {
        if (to.startsWith('reader1') && to.endsWith('0@example.com')) return 550
        if (!to.includes('7@') || deferred.has(to)) return undefined
        deferred.add(to)
        return 451
      },
    }
    const smtp = await openSmtp(faults)
    const databaseUrl = await lab.createDatabase({ empty: true })
    const dataDir = mkdtempSync(join(shop.dataDir, 'writing-'))
    const place = { databaseUrl, dataDir }
    const port = await freePort()
    const env = {
      ...sellerDetails,
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      SMTP_URL: smtp.url,
      MAIL_RATE: '60000',
    }
    const login = { email: 'seller@example.com', password: 'the seller' }
    const complaints: string[] = []
    let uncertainBefore = 0
    for (let kills = 0; kills < size.kills; kills++) {
      const crash = { CRASH_AT: 'newsletter handed over', CRASH_COUNT: String(10 + kills) }
      // Undefined if the shop was killed while it started.
      const running = await startProcess(place, { ...env, ...crash })
      if (running) {
        const exit = running.child.signalCode ? Promise.resolve() : once(running.child, 'exit')
        if (kills === 0) {
          await addReaders(databaseUrl, size.readers)
          await sendNewsletter(await logIn(running.url, login)).catch((error: unknown) => {
            // The shop may be killed before it answers.
            if (!(error instanceof ConnectionError)) throw error
          })
        }
        await exit
      }
      const { uncertain } = await readProgress(databaseUrl)
      if (uncertain > uncertainBefore + poolSize)
        complaints.push(`kill ${kills}: ${uncertain - uncertainBefore} uncertain`)
      uncertainBefore = uncertain
    }
    const last = await startProcess(place, env)
    if (!last) throw new Error('The shop did not start after the last kill')
    await smtp.close()
    await waitForState(databaseUrl, 'paused')
    const restartedSmtp = await openSmtp(faults, { port: smtp.port })
    const [row] = await query<{ id: string }>(databaseUrl, 'select id from newsletters')
    const admin = await logIn(last.url, login)
    await admin.call(newsletters.adminResume, { id: row?.id ?? '' })
    while ((await readProgress(databaseUrl)).state !== 'sent') {
      // Makes postponed emails due, which would otherwise take five minutes.
      await query(databaseUrl, 'update newsletter_recipients set retry_at = null')
      await setTimeout(500)
    }
    const exit = once(last.child, 'exit')
    last.child.kill('SIGKILL')
    await exit
    await restartedSmtp.close()

    const { sent, refused, uncertain } = await readProgress(databaseUrl)
    const deliveredTo = [...smtp.accepted, ...restartedSmtp.accepted].map(({ to }) => to)
    const twice = deliveredTo.length - new Set(deliveredTo).size
    const sentTo = await query<{ email: string }>(
      databaseUrl,
      `select email from newsletter_recipients where state = 'sent'`,
    )
    const lost = sentTo.filter(({ email }) => !deliveredTo.includes(email)).length
    return {
      ok:
        complaints.length === 0 &&
        twice === 0 &&
        lost === 0 &&
        uncertain > 0 &&
        uncertain <= (size.kills + 1) * poolSize &&
        sent + refused + uncertain === size.readers,
      figures: `${size.kills} kills and a mail server that was gone: ${sent} sent, ${refused} refused, ${deferred.size} wanted later, ${uncertain} uncertain (${poolSize} connections), ${deliveredTo.length} arrived, ${twice} twice, ${lost} lost${details(complaints)}`,
    }
  },
  { isInQuickRun: false },
)

/** A long list at full speed, while people wait for a link. The shop's memory must not grow, and their emails go first. */
fault(
  'a newsletter to 5,000 addresses',
  async ({ shop, lab }) => {
    await shop.stop()
    const arrived = new Map<string, number>()
    const smtp = await openSmtp({
      beforeAnswer({ to }) {
        arrived.set(to, performance.now())
      },
    })
    const sendingShop = await lab.openShop({ ...sellerDetails, SMTP_URL: smtp.url, MAIL_RATE: '3000', ...smallHeap })
    try {
      await addReaders(sendingShop.databaseUrl, size.list)
      await sendNewsletter(await logIn(sendingShop.url, seller))
      const startedAt = performance.now()
      const [memory, delays]: [number[], number[]] = [[], []]
      while ((await readProgress(sendingShop.databaseUrl)).state !== 'sent') {
        memory.push(memoryOf(sendingShop.pid()))
        const email = `waiting${memory.length}@example.com`
        const requestedAt = performance.now()
        const person = { email, password: 'a long password to wait with', name: 'Wanda' }
        await createVisitor(sendingShop.url).call(accounts.register, person)
        while (!arrived.has(email)) await setTimeout(20)
        delays.push((arrived.get(email) ?? 0) - requestedAt)
        await setTimeout(1000)
      }
      const seconds = (performance.now() - startedAt) / 1000
      const quarter = Math.ceil(memory.length / 4)
      const [earlyMb, lateMb] = [Math.max(...memory.slice(0, quarter)), Math.max(...memory.slice(-quarter))]
      const slowestSeconds = Math.max(...delays) / 1000
      const { sent, uncertain } = await readProgress(sendingShop.databaseUrl)
      const delivered = smtp.accepted.filter(({ to }) => to.startsWith('reader'))
      return {
        ok:
          sent === size.list &&
          delivered.length === size.list &&
          uncertain === 0 &&
          slowestSeconds < limit.delaySeconds &&
          lateMb < earlyMb + limit.growthMb,
        figures: `${sent} sent in ${seconds.toFixed(0)} s; at most ${earlyMb} MB in the first quarter, ${lateMb} MB in the last; ${delays.length} other emails meanwhile, the slowest after ${slowestSeconds.toFixed(1)} s`,
      }
    } finally {
      await sendingShop.close()
      await smtp.close()
    }
  },
  { isInQuickRun: false },
)
