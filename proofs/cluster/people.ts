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
const patienceMs = 30_000

export function createPeople({ url, publishableKey, newVisitor, answers }: PeopleDeps) {
  const { begin, pay } = createBuyers({ url, publishableKey: () => publishableKey })
  const registeredEmails: string[] = []
  const confirmed: string[] = []
  const counts = { logins: 0, sessionsLost: 0, byEmail: 0 }

  /** Retries for 30 seconds. A refusal (4xx) is final. */
  async function retryUntilDone<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const givesUpAt = performance.now() + patienceMs
    for (;;) {
      try {
        const result = await work()
        answers.add(`${what} ok`)
        return result
      } catch (error) {
        const status = error instanceof ApiError ? error.status : 'cut off'
        answers.add(`${what} ${status}`)
        const isRefused = typeof status === 'number' && status < 500
        if (isRefused || performance.now() > givesUpAt) throw new Error(`${what}: ${String(error)}`, { cause: error })
      }
      await sleep(500)
    }
  }

  async function buy(number: number) {
    const visitor = newVisitor()
    const email = `buyer-${number}@cluster.example`
    const isGuest = number % 2 === 0
    if (!isGuest) {
      await retryUntilDone('register', () =>
        visitor.call(accounts.register, { name: 'Buyer', email, password }).catch((error: unknown) => {
          // The answer to the first try was lost, so the account exists.
          if (error instanceof ApiError && error.status === 409)
            return visitor.call(accounts.login, { email, password })
          throw error
        }),
      )
      registeredEmails.push(email)
    }
    const order = await retryUntilDone('checkout', () => begin(visitor, isGuest ? { email } : {}))
    await retryUntilDone('pay', async () => {
      const outcome = await pay(order)
      // The answer to the first try may have been lost after the payment.
      if (outcome !== 'succeeded' && !/already succeeded/.test(outcome ?? '')) throw new Error(outcome)
    })
    const { paymentIntentId } = order
    if (isGuest && !(await guestLogIn(visitor, paymentIntentId))) return
    await waitUntilDone(() => visitor.callAndCheckDone(checkout.confirm, { paymentIntentId }))
    confirmed.push(paymentIntentId)
  }

  /** Guest login works once per payment; after a lost response, the guest uses the emailed link. */
  async function guestLogIn(visitor: Visitor, paymentIntentId: string) {
    try {
      await waitUntilDone(() => visitor.callAndCheckDone(checkout.guestPurchaseLogin, { paymentIntentId }))
      return true
    } catch (error) {
      const { cause } = error as Error
      if (!(cause instanceof ApiError) || cause.status !== 403) throw error
      counts.byEmail += 1
      return false
    }
  }

  async function waitUntilDone(isDone: () => Promise<boolean>) {
    while (!(await retryUntilDone('confirm', isDone))) await sleep(500)
  }

  /** Logs in and reads the account four times, because the proxy sends each request to another machine. */
  async function logIn(turn: number) {
    const email = registeredEmails[turn % registeredEmails.length]
    if (!email) return sleep(100)
    const visitor = newVisitor()
    await retryUntilDone('login', () => visitor.call(accounts.login, { email, password }))
    counts.logins += 1
    for (let times = 0; times < 4; times++)
      if (!(await retryUntilDone('account', () => visitor.call(accounts.user, {})))) counts.sessionsLost += 1
  }

  return { buy, logIn, registeredEmails, confirmed, counts }
}
