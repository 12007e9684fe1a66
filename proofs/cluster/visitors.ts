import { setTimeout as sleep } from 'node:timers/promises'
import { exports } from '#contract/admin/exports.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { ask, createWrites } from '../lab/ask.ts'
import { query } from '../lab/lab.ts'
import { keepDoing } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { seller } from '../lab/shop-process.ts'
import { createPeople, password } from './people.ts'

type VisitorDeps = {
  /** The proxy in front of every shop. */
  front: { url: string; port: number }
  /** Wherever the primary is. */
  databaseUrl: string
  dataDir: string
  secretsKey: string
}

let visitors = 0
/** Everyone comes from their own address, as behind a CDN: the shop's limits stay on. */
const ownAddress = () => {
  visitors += 1
  return { 'x-forwarded-for': `198.18.${(visitors >> 8) & 255}.${visitors & 255}` }
}

export type Visitors = Awaited<ReturnType<typeof openVisitors>>

/** Simulates buyers, readers, exports and webhooks through the proxy until stopped. Records acknowledged writes. */
export async function openVisitors({ front, databaseUrl, dataDir, secretsKey }: VisitorDeps) {
  const [settings] = await query<{ key: string }>(databaseUrl, 'select publishable_key as key from sandbox.settings')
  const postman = createPostman({ url: front.url, dataDir, secretsKey })
  const newVisitor = () => createVisitor(front.url, ownAddress())
  const writes = createWrites(ownAddress)
  const answers = createTally<string>()
  const [pages, reads, written] = [createTimeline(), createTimeline(), createTimeline()]
  const posted = new Set<string>()
  const counts = { exports: 0, failedExports: 0 }
  /** Why buyers gave up. */
  const gaveUp: string[] = []
  const people = createPeople({ url: front.url, publishableKey: settings?.key ?? '', newVisitor, answers })

  /** Stripe's part: every event is sent until it is accepted. */
  async function postEvents() {
    const events = await query<{ id: string; data: object }>(
      databaseUrl,
      'select id, data from sandbox.events where id <> all($1) limit 20',
      [[...posted]],
    ).catch(() => [])
    for (const { id, data } of events) {
      const body = JSON.stringify(data)
      const status = await postman.post(body, postman.sign(body)).then(
        (response) => response.status,
        () => 'cut off',
      )
      answers.add(`webhook ${status}`)
      if (status === 200) posted.add(id)
    }
    await sleep(50)
  }

  async function exportOrders(admin: Visitor) {
    try {
      const response = await admin.send(exports.download, { kind: 'orders' })
      const lines = (await response.text()).trim().split('\n')
      if (lines.length > 0) counts.exports += 1
    } catch {
      counts.failedExports += 1
    }
    await sleep(500)
  }

  const admin = newVisitor()
  await admin.call(accounts.login, seller)
  const member = newVisitor()
  await member.call(accounts.register, { name: 'Member', email: 'member@cluster.example', password })
  const cookie = [...member.cookies].map((pair) => pair.join('=')).join('; ')

  const look = (path: string, timeline: ReturnType<typeof createTimeline>) => async () => {
    const answer = await ask(front, { path, headers: { ...ownAddress(), cookie } })
    answers.add(`GET ${path} ${answer}`)
    if (answer === 200) timeline.add()
    await sleep(20)
  }
  const write = (number: number) => async (turn: number) => {
    const answer = await writes.write(front, `${number}-${turn}`)
    answers.add(`write ${answer}`)
    if (answer === 200) written.add()
    await sleep(20)
  }
  const buyers = keepDoing(3, (number) => async (turn) => {
    await people.buy(turn * 3 + number).catch((error: unknown) => gaveUp.push(String(error)))
  })
  const others = [
    keepDoing(1, () => (turn) => people.logIn(turn).catch(() => undefined)),
    keepDoing(1, () => () => postEvents()),
    keepDoing(1, () => () => exportOrders(admin)),
    keepDoing(2, () => look('/', pages)),
    keepDoing(2, () => look('/api/user', reads)),
    keepDoing(4, write),
  ]
  return {
    answers,
    counts,
    gaveUp,
    people,
    posted,
    writes,
    timelines: { pages, reads, writes: written },
    async stop() {
      await buyers.stop()
      await Promise.all(others.map((each) => each.stop()))
    },
  }
}

/** When something was answered, to find the longest time in which nothing was. */
export function createTimeline() {
  const times: number[] = []
  return {
    add: () => void times.push(performance.now()),
    longestGap(from: number, to: number): number {
      const between = [from, ...times.filter((time) => time > from && time < to), to]
      return Math.max(...between.slice(1).map((time, index) => time - (between[index] ?? from)))
    },
  }
}
