import { claimCharge } from './api/money.ts'
import { addSteps, type Interval } from './basics.ts'
import type { Clock } from './billing/clock.ts'
import { applyCoupon, applyCouponToCustomer, pause, resume } from './billing/dashboard.ts'
import { failRefund, moveDispute, openDispute, refund } from './billing/disputes.ts'
import { markUncollectible, payOutOfBand, update } from './billing/invoices.ts'
import { authenticatePayment, authenticateSetup } from './billing/payments.ts'
import { changePlan } from './billing/plan-changes.ts'
import type { Books } from './books.ts'
import { Failure, invalid } from './failure.ts'
import type { Off } from './objects/catalog.ts'
import type { Customer } from './objects/customer.ts'
import { type DisputeStatus, newFraudWarning } from './objects/payment.ts'
import { type Feedback, type PauseReason, periodOf } from './objects/subscription.ts'
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
    ...quickControls(act),
    dashboard: dashboardControls(act),
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
function quickControls(act: Act) {
  return {
    /** Stripe's customer portal only knows `cancel_at`, and may ask why. */
    cancelInPortal: (subscription: string, why: { feedback?: Feedback; comment?: string } = {}) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        return update(work, found, {
          ...found,
          cancel_at: periodOf(found).end,
          canceled_at: work.now,
          cancellation_details: { ...found.cancellation_details, ...why, reason: 'cancellation_requested' },
        })
      }),

    pause: (subscription: string, reason: PauseReason = 'pause_requested') =>
      act(async (work) => pause(work, await work.claim('subscription', subscription), reason)),

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

    warnOfFraud: (paymentIntent: string) =>
      act(async (work) => {
        const charge = await claimCharge(work, undefined, paymentIntent)
        work.emit('radar.early_fraud_warning.created', await work.insert(newFraudWarning(work.now, charge)))
      }),

    closeDispute: (dispute: string, outcome: 'won' | 'lost' | 'prevented') =>
      act(async (work) => moveDispute(work, await work.claim('dispute', dispute), outcome)),

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

/** What else sellers change at Stripe itself; the shop has no part in it. */
function dashboardControls(act: Act) {
  const changeCustomer = (id: string, change: (customer: Customer) => Customer) =>
    act(async (work) => {
      await work.claim('customer', id)
      const before = await work.customer(id)
      work.emit('customer.updated', await work.save(change(before)), before)
    })

  return {
    unpause: (subscription: string) =>
      act(async (work) => resume(work, await work.claim('subscription', subscription))),

    /** A scheduled end is taken back: only the date goes. */
    keep: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        return update(work, found, {
          ...found,
          cancel_at: null,
          cancel_at_period_end: false,
          canceled_at: null,
        })
      }),

    /** Another price, under another interval perhaps. */
    changePrice: (subscription: string, price: string) =>
      act(async (work) =>
        changePlan(work, await work.claim('subscription', subscription), {
          price: await work.get('price', price),
        }),
      ),

    setQuantity: (subscription: string, quantity: number) =>
      act(async (work) => changePlan(work, await work.claim('subscription', subscription), { quantity })),

    applyCoupon: (subscription: string, off: Off) =>
      act(async (work) => applyCoupon(work, await work.claim('subscription', subscription), off)),

    applyCouponToCustomer: (customer: string, off: Off) =>
      act(async (work) => {
        await work.claim('customer', customer)
        await applyCouponToCustomer(work, await work.customer(customer), off)
      }),

    /** It pays the next invoices first. */
    giveCredit: (customer: string, amount: number) =>
      changeCustomer(customer, (found) => ({ ...found, balance: found.balance - amount })),

    /** Stripe can no longer tell which tax is due. */
    loseTaxPlace: (customer: string) => changeCustomer(customer, (found) => ({ ...found, address: null })),

    markUncollectible: (invoice: string) =>
      act(async (work) => markUncollectible(work, await work.claim('invoice', invoice))),

    payOutOfBand: (invoice: string) =>
      act(async (work) => payOutOfBand(work, await work.claim('invoice', invoice))),

    /** Evidence was sent, or a loss appealed. */
    moveDispute: (dispute: string, to: DisputeStatus) =>
      act(async (work) => moveDispute(work, await work.claim('dispute', dispute), to)),
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
