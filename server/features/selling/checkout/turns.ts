import { setTimeout } from 'node:timers/promises'
import { Refusal } from '#server/errors.ts'
import type { Attempts } from '#server/security/attempts.ts'

const usualSeconds = 20
const longestWaitMs = 30_000

/**
 * One at a time for a buyer or a browser, in any process. The turn is kept for as long as the work takes: Stripe's
 * retries may take 40 s. One that a crash left behind ends after 20 s.
 */
export function createTurns({ attempts }: { attempts: Attempts }, turnSeconds = usualSeconds) {
  return async function inTurn<Result>(who: string, work: (hadToWait: boolean) => Promise<Result>) {
    let hadToWait = false
    const startedAt = performance.now()
    for (let pauseMs = 100; ; pauseMs = Math.min(1000, pauseMs * 1.5)) {
      const seconds = await attempts.secondsToWait('checkout', who, { requests: 1, seconds: turnSeconds })
      if (seconds === 0) break
      if (performance.now() - startedAt > longestWaitMs)
        throw new Refusal(
          503,
          'payments-away',
          'Your checkout is still being prepared. Please try again in a moment.',
          { retryAfterSeconds: 5 },
        )
      // A turn that nobody prolongs was left behind by a crash: nobody got an answer.
      hadToWait = seconds > turnSeconds / 2
      await setTimeout(pauseMs)
    }
    const keeping = setInterval(() => {
      attempts.extend('checkout', who, turnSeconds).catch(() => {})
    }, turnSeconds * 250)
    try {
      return await work(hadToWait)
    } finally {
      clearInterval(keeping)
      await attempts.clear('checkout', who)
    }
  }
}
