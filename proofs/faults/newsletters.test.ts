import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
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
import { details, fault } from './fault.ts'

const limit = { kills: 4, readers: 200, list: 5000, growthMb: 60, delaySeconds: 60 }

const postalAddress = {
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
    const isIn = await admin.call(accounts.login, login).then(
      () => true,
      () => false,
    )
    if (isIn) return admin
    await setTimeout(200)
  }
}

async function send(admin: Awaited<ReturnType<typeof logIn>>) {
  const words = { subject: 'News', preheader: '', markdown: 'Hello. '.repeat(300) }
  const { id } = await admin.call(newsletters.adminCreate, { ...words, toSubscribers: true, buyersOf: null })
  await admin.call(newsletters.adminSend, { id, version: 1 })
  return id
}

async function progress(databaseUrl: string) {
  const [row] = await query<{ state: string; sent: number; refused: number; uncertain: number }>(
    databaseUrl,
    `select n.state, count(*) filter (where r.state = 'sent')::int as sent,
       count(*) filter (where r.state = 'refused')::int as refused,
       count(*) filter (where r.state in ('uncertain', 'handed_over'))::int as uncertain
     from newsletters n left join newsletter_recipients r on r.newsletter_id = n.id group by n.id`,
  )
  return row ?? { state: 'none', sent: 0, refused: 0, uncertain: 0 }
}

async function untilState(databaseUrl: string, state: string) {
  while ((await progress(databaseUrl)).state !== state) await setTimeout(500)
}

/**
 * The mail server has an email, and the shop dies before it can write that down, again and again. Meanwhile the server
 * refuses some, wants others later, and is gone for a while itself.
 */
fault(
  'kills between a newsletter’s hand-over and its commit',
  async ({ shop, lab }) => {
    await shop.stop()
    const grey = new Set<string>()
    const faults = {
      refuse(to: string) {
        if (to.startsWith('reader1') && to.endsWith('0@example.com')) return 550
        if (!to.includes('7@') || grey.has(to)) return undefined
        grey.add(to)
        return 451
      },
    }
    const smtp = await openSmtp(faults)
    const databaseUrl = await lab.createDatabase({ empty: true })
    const dataDir = mkdtempSync(join(shop.dataDir, 'writing-'))
    const place = { databaseUrl, dataDir }
    const port = await freePort()
    const env = {
      ...postalAddress,
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      SMTP_URL: smtp.url,
      MAIL_RATE: '60000',
    }
    const login = { email: 'seller@example.com', password: 'the seller' }
    const complaints: string[] = []
    let before = 0
    for (let kills = 0; kills < limit.kills; kills++) {
      const crash = { CRASH_AT: 'newsletter handed over', CRASH_COUNT: String(10 + kills) }
      const running = await startProcess(place, { ...env, ...crash })
      if (running) {
        const exit = running.child.signalCode ? Promise.resolve() : once(running.child, 'exit')
        if (kills === 0) {
          await addReaders(databaseUrl, limit.readers)
          // It may die before it has answered.
          await send(await logIn(running.url, login)).catch(() => undefined)
        }
        await exit
      }
      const { uncertain } = await progress(databaseUrl)
      if (uncertain > before + poolSize) complaints.push(`kill ${kills}: ${uncertain - before} uncertain`)
      before = uncertain
    }
    const last = await startProcess(place, env)
    if (!last) throw new Error('The shop did not start after the last kill')
    await smtp.close()
    await untilState(databaseUrl, 'paused')
    const revived = await openSmtp(faults, { port: smtp.port })
    const [row] = await query<{ id: string }>(databaseUrl, 'select id from newsletters')
    const admin = await logIn(last.url, login)
    await admin.call(newsletters.adminResume, { id: row?.id ?? '' })
    while ((await progress(databaseUrl)).state !== 'sent') {
      // Makes postponed emails due, which would otherwise take five minutes.
      await query(databaseUrl, 'update newsletter_recipients set retry_at = null')
      await setTimeout(500)
    }
    const exit = once(last.child, 'exit')
    last.child.kill('SIGKILL')
    await exit
    await revived.close()

    const { sent, refused, uncertain } = await progress(databaseUrl)
    const got = [...smtp.accepted, ...revived.accepted].map(({ to }) => to)
    const twice = got.length - new Set(got).size
    const missing = sent - got.length
    return {
      ok:
        complaints.length === 0 &&
        twice === 0 &&
        missing <= 0 &&
        uncertain > 0 &&
        uncertain <= (limit.kills + 1) * poolSize &&
        sent + refused + uncertain === limit.readers,
      figures: `${limit.kills} kills and a mail server that was gone: ${sent} sent, ${refused} refused, ${grey.size} wanted later, ${uncertain} uncertain (${poolSize} connections), ${got.length} arrived, ${twice} twice${details(complaints)}`,
    }
  },
  { quick: false },
)

/** A long list at full speed, while people wait for a link: the shop stays as large as it is, and their emails go first. */
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
    const sending = await lab.openShop({ ...postalAddress, SMTP_URL: smtp.url, MAIL_RATE: '3000' })
    try {
      await addReaders(sending.databaseUrl, limit.list)
      await send(await logIn(sending.url, seller))
      const begun = performance.now()
      const [memory, delays]: [number[], number[]] = [[], []]
      while ((await progress(sending.databaseUrl)).state !== 'sent') {
        memory.push(memoryOf(sending.pid()))
        const email = `waiting${memory.length}@example.com`
        const asked = performance.now()
        const person = { email, password: 'a long password to wait with', name: 'Wanda' }
        await createVisitor(sending.url).call(accounts.register, person)
        while (!arrived.has(email)) await setTimeout(20)
        delays.push((arrived.get(email) ?? 0) - asked)
        await setTimeout(1000)
      }
      const seconds = (performance.now() - begun) / 1000
      const quarter = Math.ceil(memory.length / 4)
      const [early, late] = [Math.max(...memory.slice(0, quarter)), Math.max(...memory.slice(-quarter))]
      const slowest = Math.max(...delays) / 1000
      const { sent, uncertain } = await progress(sending.databaseUrl)
      const got = smtp.accepted.filter(({ to }) => to.startsWith('reader'))
      return {
        ok:
          sent === limit.list &&
          got.length === limit.list &&
          uncertain === 0 &&
          slowest < limit.delaySeconds &&
          late < early + limit.growthMb,
        figures: `${sent} sent in ${seconds.toFixed(0)} s; at most ${early} MB in the first quarter, ${late} MB in the last; ${delays.length} other emails meanwhile, the slowest after ${slowest.toFixed(1)} s`,
      }
    } finally {
      await sending.close()
      await smtp.close()
    }
  },
  { quick: false },
)
