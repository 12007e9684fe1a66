import { claimCharge } from './api/money.ts'
import type { Clock } from './billing/clock.ts'
import { closeDispute, failRefund, openDispute, refund } from './billing/disputes.ts'
import { authenticatePayment } from './billing/payments.ts'
import { authenticateSetup } from './billing/setups.ts'
import type { Books } from './books.ts'
import { addSteps, type Interval } from './dates.ts'
import { Failure, invalid } from './failure.ts'
import type { createWebhooks } from './webhooks.ts'
import type { Mischief, Work } from './work.ts'

export type Controls = ReturnType<typeof createControls>

type Given = { books: Books; clock: Clock; webhooks: ReturnType<typeof createWebhooks> }

/** What a hand on Stripe's dashboard could do, and some mischief that the network does by itself. */
export function createControls({ books, clock, webhooks }: Given) {
  async function act<T>(task: (work: Work) => Promise<T>): Promise<T> {
    const result = await books.write(task)
    void webhooks.wake()
    return result
  }

  return {
    /** The sandbox's time, in seconds since 1970. */
    now: clock.now,

    /** Moves the time on and runs, in order, everything that falls due on the way. */
    async advance(count: number, interval: Interval | 'hour' | 'minute' | 'second') {
      const now = await clock.now()
      const seconds = { hour: 3600, minute: 60, second: 1 }
      const to =
        interval === 'hour' || interval === 'minute' || interval === 'second'
          ? now + count * seconds[interval]
          : addSteps(now, { interval, interval_count: 1 }, count)
      if (!(count > 0)) throw invalid('Time only moves forward.')
      await clock.advanceTo(to)
      void webhooks.wake()
    },

    failNextRenewal: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        await work.save({ ...found, $sandbox: { fail_next_renewal: true } })
      }),

    refund: (paymentIntent: string, amount?: number) =>
      act(async (work) => refund(work, await claimCharge(work, undefined, paymentIntent), amount)),

    failRefund: (id: string) => act(async (work) => failRefund(work, await work.claim('refund', id))),

    openDispute: (paymentIntent: string) =>
      act(async (work) => openDispute(work, await claimCharge(work, undefined, paymentIntent))),

    closeDispute: (dispute: string, outcome: 'won' | 'lost') =>
      act(async (work) => closeDispute(work, await work.claim('dispute', dispute), outcome)),

    /** The buyer's answer in the 3-D Secure dialog, for tests without a browser. */
    authenticate: (intent: string, outcome: 'complete' | 'fail') =>
      act(async (work) => {
        const passed = outcome === 'complete'
        const answer = intent.startsWith('seti_')
          ? await authenticateSetup(work, await work.claim('setup_intent', intent), passed)
          : await authenticatePayment(work, await work.claim('payment_intent', intent), passed)
        return { succeeded: !(answer instanceof Failure) }
      }),

    webhooks: {
      /** From now on, until set again; `{}` is good behaviour. */
      misbehave: async (mischief: Mischief) => {
        await books.database.query('update sandbox.settings set mischief = $1', [JSON.stringify(mischief)])
      },
      redeliver: webhooks.redeliver,
      /** Tries everything that waits for its first delivery, also what is delayed on purpose. */
      flush: webhooks.flush,
    },
  }
}
