import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import type { Visitor } from '#server/testing/visitor.ts'
import type { createTally } from '../lab/measures.ts'

type PeopleDeps = {
  url: string
  publishableKey: string
  newVisitor: () => Visitor
  answers: ReturnType<typeof createTally<string>>
}

export const password = 'a long password for the cluster'
const patience = 30_000

/** Simulated buyers and customers; records what the shop has acknowledged to them. */
export function createPeople({ url, publishableKey, newVisitor, answers }: PeopleDeps) {
  const { begin, pay } = createBuyers({ url, publishableKey: () => publishableKey })
  const accountsMade: string[] = []
  const confirmed: string[] = []
  const counts = { logins: 0, sessionsLost: 0, byEmail: 0 }

  /** Retries until it works, like people do. A refusal is final. */
  async function persist<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    for (const until = performance.now() + patience; ; await sleep(500)) {
      try {
        const result = await work()
        answers.add(`${what} ok`)
        return result
      } catch (error) {
        const status = error instanceof ApiError ? error.status : 'cut off'
        answers.add(`${what} ${status}`)
        if ((typeof status === 'number' && status < 500) || performance.now() > until)
          throw new Error(`${what}: ${String(error)}`, { cause: error })
      }
    }
  }

  async function buy(number: number) {
    const visitor = newVisitor()
    const email = `buyer-${number}@cluster.example`
    const isGuest = number % 2 === 0
    if (!isGuest) {
      await persist('register', () =>
        visitor.call(accounts.register, { name: 'Buyer', email, password }).catch((error: unknown) => {
          // A second press, after an answer that got lost.
          if (error instanceof ApiError && error.status === 409)
            return visitor.call(accounts.login, { email, password })
          throw error
        }),
      )
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
    await untilDone(() => visitor.callAndCheckDone(checkout.confirm, { paymentIntentId }))
    confirmed.push(paymentIntentId)
  }

  /** Guest login works once per payment; after a lost response, the guest uses the emailed link. */
  async function guestLogIn(visitor: Visitor, paymentIntentId: string) {
    try {
      await untilDone(() => visitor.callAndCheckDone(checkout.guestPurchaseLogin, { paymentIntentId }))
      return true
    } catch (error) {
      const { cause } = error as Error
      if (!(cause instanceof ApiError) || cause.status !== 403) throw error
      counts.byEmail += 1
      return false
    }
  }

  async function untilDone(isDone: () => Promise<boolean>) {
    while (!(await persist('confirm', isDone))) await sleep(500)
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

  return { buy, logIn, accountsMade, confirmed, counts }
}
