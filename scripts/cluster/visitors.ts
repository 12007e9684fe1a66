import { setTimeout as sleep } from 'node:timers/promises'
import { accounts } from '#contract/accounts.ts'
import { ApiError } from '#contract/call.ts'
import { checkout } from '#contract/checkout.ts'
import { exports } from '#contract/exports.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { createTally } from '../faults/tally.ts'
import { createWrites } from '../faults/writes.ts'
import { ask } from '../lab/ask.ts'
import { keepDoing } from '../lab/concurrently.ts'
import { query } from '../lab/query.ts'
import { seller } from '../lab/shop-process.ts'
import { createTimeline } from './timeline.ts'

type Place = {
  /** The proxy in front of every shop. */
  front: { url: string; port: number }
  /** Wherever the primary is. */
  databaseUrl: string
  dataDir: string
  secretsKey: string
}

const password = 'a long password for the cluster'
const patience = 30_000

let visitors = 0
/** Everyone comes from their own address, as behind a CDN: the shop's limits stay on. */
const ownAddress = () => {
  visitors += 1
  return { 'x-forwarded-for': `198.18.${(visitors >> 8) & 255}.${visitors & 255}` }
}

export type Visitors = Awaited<ReturnType<typeof openVisitors>>

/** Everything that happens in a shop, through the proxy, all at once until stopped; keeps what was acknowledged. */
export async function openVisitors({ front, databaseUrl, dataDir, secretsKey }: Place) {
  const [settings] = await query<{ key: string }>(
    databaseUrl,
    'select publishable_key as key from sandbox.settings',
  )
  const { begin, pay } = createBuyers({ url: front.url, publishableKey: () => settings?.key ?? '' })
  const postman = createPostman({ url: front.url, dataDir, secretsKey })
  const newVisitor = () => createVisitor(front.url, ownAddress())
  const writes = createWrites(ownAddress)
  const answers = createTally<string>()
  const [pages, reads, written] = [createTimeline(), createTimeline(), createTimeline()]
  const accountsMade: string[] = []
  const confirmed: string[] = []
  const posted = new Set<string>()
  const counts = { logins: 0, sessionsLost: 0, exports: 0, failedExports: 0, byEmail: 0, gaveUp: 0 }

  /** As people do: press again until it works. A refusal stays a refusal. */
  async function persist<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    for (const until = performance.now() + patience; ; await sleep(500)) {
      try {
        const result = await work()
        answers.add(`${what} ok`)
        return result
      } catch (error) {
        const status = error instanceof ApiError ? error.status : 'cut off'
        answers.add(`${what} ${status}`)
        if ((typeof status === 'number' && status < 500) || performance.now() > until) throw error
      }
    }
  }

  /** Every other buyer is a guest. */
  async function buy(number: number) {
    const visitor = newVisitor()
    const email = `buyer-${number}@cluster.example`
    const isGuest = number % 2 === 0
    if (!isGuest) {
      await persist('register', () => visitor.call(accounts.register, { name: 'Buyer', email, password }))
      accountsMade.push(email)
    }
    const begun = await persist('checkout', () => begin(visitor, isGuest ? { email } : {}))
    await persist('pay', async () => {
      const outcome = await pay(begun)
      // A second press, after an answer that got lost.
      if (outcome !== 'succeeded' && !/already succeeded/.test(outcome ?? '')) throw new Error(outcome)
    })
    const { paymentIntentId } = begun
    if (isGuest && !(await guestLogIn(visitor, paymentIntentId))) return
    await untilDone(() => visitor.call(checkout.confirm, { paymentIntentId }))
    confirmed.push(paymentIntentId)
  }

  /** Works once: if the answer to that got lost, the guest gets in by the link in the email. */
  async function guestLogIn(visitor: Visitor, paymentIntentId: string) {
    try {
      await untilDone(() => visitor.call(checkout.guestPurchaseLogin, { paymentIntentId }))
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error
      counts.byEmail += 1
      return false
    }
  }

  async function untilDone(call: () => Promise<{ state: string }>) {
    while ((await persist('confirm', call)).state !== 'done') await sleep(500)
  }

  /** Logs in, then asks several times: the proxy sends each request to another machine. */
  async function logIn(turn: number) {
    const email = accountsMade[turn % accountsMade.length]
    if (!email) return sleep(100)
    const visitor = newVisitor()
    await persist('login', () => visitor.call(accounts.login, { email, password }))
    counts.logins += 1
    for (let times = 0; times < 4; times++)
      if (!(await persist('account', () => visitor.call(accounts.user, {})))) counts.sessionsLost += 1
  }

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
    await buy(turn * 3 + number).catch(() => (counts.gaveUp += 1))
  })
  const others = [
    keepDoing(1, () => (turn) => logIn(turn).catch(() => undefined)),
    keepDoing(1, () => () => postEvents()),
    keepDoing(1, () => () => exportOrders(admin)),
    keepDoing(2, () => look('/', pages)),
    keepDoing(2, () => look('/api/user', reads)),
    keepDoing(4, write),
  ]
  return {
    answers,
    counts,
    accountsMade,
    confirmed,
    posted,
    writes,
    timelines: { pages, reads, writes: written },
    async stop() {
      await buyers.stop()
      await Promise.all(others.map((each) => each.stop()))
    },
  }
}
