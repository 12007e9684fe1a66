import { claimCharge } from './api/money.ts'
import { addSteps, type Interval } from './basics.ts'
import type { Clock } from './billing/clock.ts'
import { closeDispute, failRefund, openDispute, refund } from './billing/disputes.ts'
import { update } from './billing/invoices.ts'
import { authenticatePayment, authenticateSetup } from './billing/payments.ts'
import type { Books } from './books.ts'
import { Failure, invalid } from './failure.ts'
import { periodOf } from './objects/subscription.ts'
import type { Fault, Key, Quirks } from './quirks.ts'
import type { createWebhooks } from './webhooks.ts'
import type { Work } from './work.ts'

export type Controls = ReturnType<typeof createControls>

type Given = { books: Books; clock: Clock; webhooks: ReturnType<typeof createWebhooks> }

/** What someone could do in Stripe's dashboard, and some mischief that the network does on its own. */
export function createControls({ books, clock, webhooks }: Given) {
  async function act<T>(task: (work: Work) => Promise<T>): Promise<T> {
    const result = await books.write(task)
    void webhooks.wake()
    return result
  }

  return {
    ...timeControls(clock, () => void webhooks.wake()),
    ...behaviorControls(books, webhooks),
    ...dashboardControls(act),
  }
}

type WebhookQuirks = Pick<Quirks, 'duplicates' | 'spread' | 'drop' | 'delaySeconds'>

/** How the sandbox behaves from now on, until told otherwise. */
function behaviorControls(books: Books, webhooks: ReturnType<typeof createWebhooks>) {
  const { database, usual } = books

  /** Anything not named stays as it is. */
  async function behave(quirks: Partial<Quirks>) {
    if (quirks.seed !== undefined) await database.query('alter sequence sandbox.draws restart')
    await database.query('update sandbox.settings set mischief = mischief || $1', [JSON.stringify(quirks)])
  }

  return {
    behave,

    behaveAsUsual: () => database.query(`update sandbox.settings set mischief = '{}'`),

    /** The next matching request fails this way; several can queue up. */
    async failNext(...faults: Fault[]) {
      const { quirks } = await books.settings()
      await behave({ faults: [...quirks.faults, ...faults] })
    },

    /** The secret key stops working, loses permissions (`rak_charge_write`), or turns out to be the other mode's. */
    async changeKey(state: Key['state'], without: string[] = []) {
      const { rows } = await database.query<{ newest: string }>(
        'select coalesce(max(seq), 0) as newest from sandbox.objects',
      )
      const key: Key =
        state === 'restricted'
          ? { state, without }
          : state === 'other_mode'
            ? { state, before: Number(rows[0]?.newest ?? 0) }
            : { state }
      await behave({ key })
    },

    webhooks: {
      /** Whatever isn't named is as usual again. */
      misbehave: ({
        duplicates = usual.duplicates,
        spread = usual.spread,
        drop = usual.drop,
        delaySeconds = usual.delaySeconds,
      }: Partial<WebhookQuirks>) => behave({ duplicates, spread, drop, delaySeconds }),
      redeliver: webhooks.redeliver,
      /** Tries everything still waiting for its first delivery, even what is delayed on purpose. */
      flush: webhooks.flush,
    },
  }
}

type Act = <T>(task: (work: Work) => Promise<T>) => Promise<T>

/** What sellers, buyers and banks do at Stripe itself. */
function dashboardControls(act: Act) {
  return {
    /** Stripe's customer portal only knows `cancel_at`. */
    cancelInPortal: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        return update(work, found, {
          ...found,
          cancel_at: periodOf(found).end,
          canceled_at: work.now,
          cancellation_details: { ...found.cancellation_details, reason: 'cancellation_requested' },
        })
      }),

    /** As after a trial that ended without a card. */
    pause: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        if (found.status !== 'active') throw invalid('Only an active subscription can be paused.')
        const paused = await update(work, found, { ...found, status: 'paused' })
        work.emit('customer.subscription.paused', paused)
        return paused
      }),

    archivePrice: (price: string, active = false) =>
      act(async (work) => {
        const before = await work.claim('price', price)
        const after = await work.save({ ...before, active })
        work.emit('price.updated', after, before)
        return after
      }),

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
  }
}

const seconds = { hour: 3600, minute: 60, second: 1 }

function timeControls(clock: Clock, changed: () => void) {
  /** That much later than now. */
  async function after(count: number, interval: Interval | keyof typeof seconds) {
    const now = await clock.now()
    return interval === 'hour' || interval === 'minute' || interval === 'second'
      ? now + count * seconds[interval]
      : addSteps(now, { interval, interval_count: 1 }, count)
  }

  return {
    /** The sandbox's time, in seconds since 1970. */
    now: clock.now,
    after,

    /** Moves time forward and runs, in order, everything that falls due on the way. */
    async advance(...time: Parameters<typeof after>) {
      if (!(time[0] > 0)) throw invalid('Time only moves forward.')
      await clock.advanceTo(await after(...time))
      changed()
    },

    /** Finishes the payments that Stripe is still working on, whatever their lag. */
    async settle() {
      await clock.settle()
      changed()
    },
  }
}
