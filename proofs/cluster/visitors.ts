import { setTimeout as sleep } from 'node:timers/promises'
import { exports } from '#contract/admin/exports.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { ask, createWrites } from '../lab/ask.ts'
import { query } from '../lab/lab.ts'
import { repeatConcurrently } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { seller } from '../lab/shop-process.ts'
import { createPeople, password } from './people.ts'

type VisitorDeps = { front: { url: string; port: number }; databaseUrl: string; dataDir: string; secretsKey: string }

let addressCount = 0
/** Like behind a CDN, each request has its own address, so that the shop's rate limits can stay on. */
const nextAddress = () => {
  addressCount += 1
  return { 'x-forwarded-for': `198.18.${(addressCount >> 8) & 255}.${addressCount & 255}` }
}

export type Visitors = Awaited<ReturnType<typeof openVisitors>>

export async function openVisitors({ front, databaseUrl, dataDir, secretsKey }: VisitorDeps) {
  const [settings] = await query<{ key: string }>(databaseUrl, 'select publishable_key as key from sandbox.settings')
  const postman = createPostman({ url: front.url, dataDir, secretsKey })
  const newVisitor = () => createVisitor(front.url, nextAddress())
  const writes = createWrites(nextAddress)
  const answers = createTally<string>()
  const [pages, reads, writeTimes] = [createTimeline(), createTimeline(), createTimeline()]
  const posted = new Set<string>()
  const counts = { exports: 0, failedExports: 0 }
  const gaveUp: string[] = []
  const people = createPeople({ url: front.url, publishableKey: settings?.key ?? '', newVisitor, answers })

  /** Sends every event until the shop accepts it, like Stripe. */
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
      const [header] = (await response.text()).split('\n')
      if (!header?.startsWith('Id,Date (UTC),Email,')) throw new Error('The export has no header')
      counts.exports += 1
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

  const visit = (path: string, timeline: ReturnType<typeof createTimeline>) => async () => {
    const answer = await ask(front, { path, headers: { ...nextAddress(), cookie } })
    answers.add(`GET ${path} ${answer}`)
    if (answer === 200) timeline.add()
    await sleep(20)
  }
  const write = (number: number) => async (turn: number) => {
    const answer = await writes.write(front, `${number}-${turn}`)
    answers.add(`write ${answer}`)
    if (answer === 200) writeTimes.add()
    await sleep(20)
  }
  const buyers = repeatConcurrently(3, (number) => async (turn) => {
    await people.buy(turn * 3 + number).catch((error: unknown) => gaveUp.push(String(error)))
  })
  // Each gets the number of its worker, then the number of the turn.
  const otherLoads = [
    repeatConcurrently(1, () => (turn) => people.logIn(turn).catch(() => undefined)),
    repeatConcurrently(1, () => () => postEvents()),
    repeatConcurrently(1, () => () => exportOrders(admin)),
    repeatConcurrently(2, () => visit('/', pages)),
    repeatConcurrently(2, () => visit('/api/user', reads)),
    repeatConcurrently(4, write),
  ]
  return {
    answers,
    counts,
    gaveUp,
    people,
    posted,
    writes,
    timelines: { pages, reads, writes: writeTimes },
    async stop() {
      await buyers.stop()
      await Promise.all(otherLoads.map((load) => load.stop()))
    },
  }
}

export function createTimeline() {
  const times: number[] = []
  return {
    add: () => void times.push(performance.now()),
    longestGap(from: number, to: number): number {
      let longest = 0
      let previous = from
      for (const time of [...times.filter((moment) => moment > from && moment < to), to]) {
        longest = Math.max(longest, time - previous)
        previous = time
      }
      return longest
    },
  }
}
