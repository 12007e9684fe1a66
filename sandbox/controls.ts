import { claimCharge } from './api/money.ts'
import { addSchedule } from './api/subscriptions.ts'
import { addSteps, type Interval } from './basics.ts'
import { addInvoiceItem } from './billing/bills.ts'
import type { Clock } from './billing/clock.ts'
import { failRefund, moveDispute, openDispute, refund } from './billing/disputes.ts'
import { markUncollectible, payOutOfBand, update, voidInvoice } from './billing/invoices.ts'
import { authenticate } from './billing/payments.ts'
import { applyCoupon, applyCouponToCustomer, changePlan, pause, resume } from './billing/plan-changes.ts'
import type { Books } from './books.ts'
import { Failure, invalid } from './failure.ts'
import type { PausedCollection } from './objects/blank.ts'
import type { DiscountTerms } from './objects/catalog.ts'
import type { Customer } from './objects/customer.ts'
import type { Kind, Kinds } from './objects/kinds.ts'
import { type Charge, newFraudWarning } from './objects/payment.ts'
import { type Feedback, periodOf } from './objects/subscription.ts'
import type { Fault, Quirks } from './quirks.ts'
import type { createWebhooks } from './webhooks.ts'
import type { Work } from './work.ts'

export type Controls = ReturnType<typeof createControls>

type ControlsDeps = { books: Books; clock: Clock; webhooks: ReturnType<typeof createWebhooks> }

/** Actions in Stripe's dashboard, and network faults. */
export function createControls({ books, clock, webhooks }: ControlsDeps) {
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

    webhooks: {
      /** Settings that are left out return to their default. */
      misbehave: (quirks: Partial<WebhookQuirks>) => {
        const { duplicates, spread, drop, delaySeconds } = usual
        return behave({ duplicates, spread, drop, delaySeconds, ...quirks })
      },
      redeliver: webhooks.redeliver,
      flush: webhooks.flush,
    },
  }
}

type Act = <T>(task: (work: Work) => Promise<T>) => Promise<T>

/** Makes a control of what happens to one object: it takes the object's id. */
const onObjects =
  (act: Act) =>
  <K extends Kind, More extends unknown[], T>(
    kind: K,
    happens: (work: Work, found: Kinds[K], ...more: More) => Promise<T>,
  ) =>
  (id: string, ...more: More) =>
    act(async (work) => happens(work, await work.claim(kind, id), ...more))

/** Actions of sellers, buyers and banks at Stripe. */
function quickControls(act: Act) {
  const on = onObjects(act)
  const onPayment =
    <More extends unknown[], T>(happens: (work: Work, charge: Charge, ...more: More) => Promise<T>) =>
    (paymentIntent: string, ...more: More) =>
      act(async (work) => happens(work, await claimCharge(work, paymentIntent), ...more))

  return {
    /** Stripe's customer portal only knows `cancel_at`, and may ask why. */
    cancelInPortal: on('subscription', async (work, found, why: { feedback?: Feedback; comment?: string } = {}) =>
      update(work, found, {
        ...found,
        cancel_at: periodOf(found).end,
        canceled_at: work.now,
        cancellation_details: { ...found.cancellation_details, ...why, reason: 'cancellation_requested' },
      }),
    ),
    pause: on('subscription', pause),
    archivePrice: on('price', async (work, price) => work.update(price, { ...price, active: false })),
    failNextRenewal: on('subscription', async (work, found) =>
      work.save({ ...found, $sandbox: { fail_next_renewal: true } }),
    ),
    refund: onPayment((work, charge, amount?: number) => refund(work, charge, amount)),
    failRefund: on('refund', failRefund),
    openDispute: onPayment(openDispute),
    warnOfFraud: onPayment((work, charge) => work.create(newFraudWarning(work.now, charge))),
    closeDispute: on('dispute', (work, dispute, outcome: 'won' | 'lost' | 'prevented' | 'warning_closed') =>
      moveDispute(work, dispute, outcome),
    ),

    /** The buyer's answer in the 3-D Secure dialog, for tests without a browser. */
    authenticate: (intent: string, outcome: 'complete' | 'fail') =>
      act(async (work) => {
        const kind = intent.startsWith('seti_') ? 'setup_intent' : 'payment_intent'
        const answer = await authenticate(work, await work.claim(kind, intent), outcome === 'complete')
        return { succeeded: !(answer instanceof Failure) }
      }),
  }
}

function dashboardControls(act: Act) {
  const on = onObjects(act)
  const changeCustomer = (id: string, change: (customer: Customer) => Customer) =>
    act(async (work) => {
      await work.claim('customer', id)
      const before = await work.customer(id)
      await work.update(before, change(before))
    })

  return {
    unpause: on('subscription', resume),
    /** A scheduled end is taken back: only the date goes. */
    keep: on('subscription', async (work, found) =>
      update(work, found, { ...found, cancel_at: null, cancel_at_period_end: false, canceled_at: null }),
    ),
    changePrice: on('subscription', async (work, found, price: string) =>
      changePlan(work, found, { price: await work.get('price', price) }),
    ),
    setQuantity: on('subscription', (work, found, quantity: number) => changePlan(work, found, { quantity })),
    applyCoupon: on('subscription', applyCoupon),
    applyCouponToCustomer: (customer: string, off: DiscountTerms) =>
      act(async (work) => {
        await work.claim('customer', customer)
        await applyCouponToCustomer(work, await work.customer(customer), off)
      }),
    /** It pays the next invoices first. */
    giveCredit: (customer: string, amount: number) =>
      changeCustomer(customer, (found) => ({ ...found, balance: found.balance - amount })),
    /** Stripe can no longer tell which tax is due. */
    loseTaxPlace: (customer: string) => changeCustomer(customer, (found) => ({ ...found, address: null })),
    /** "Schedule update". */
    schedule: on('subscription', addSchedule),
    /** On the next invoice. */
    addInvoiceItem: on('subscription', (work, found, amount: number) =>
      addInvoiceItem(work, found, amount, 'Private lesson'),
    ),
    markUncollectible: on('invoice', markUncollectible),
    voidInvoice: on('invoice', voidInvoice),
    /** "Pause payment collection"; nothing to collect again. */
    pauseCollection: on('subscription', (work, found, how: PausedCollection | null) =>
      update(work, found, { ...found, pause_collection: how }),
    ),
    payOutOfBand: on('invoice', payOutOfBand),
    /** The card's network told Stripe about a new one. */
    updateCard: on('payment_method', async (work, found, card: { exp_month: number; exp_year: number }) => {
      const after = await work.save({ ...found, card: { ...found.card, ...card } })
      work.emit('payment_method.automatically_updated', after, found)
    }),
    detachCard: on('payment_method', async (work, found) => {
      const after = await work.save({ ...found, customer: null })
      for (const subscription of await work.all('subscription', { default_payment_method: found.id }))
        await work.save({ ...subscription, default_payment_method: null })
      work.emit('payment_method.detached', after, found)
    }),
    /** Evidence was sent, or a loss appealed. */
    moveDispute: on('dispute', moveDispute),
  }
}

const seconds = { hour: 3600, minute: 60, second: 1 }

function timeControls(clock: Clock, changed: () => void) {
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

    stopBilling: clock.stopBilling,

    async settle() {
      await clock.settle()
      changed()
    },
  }
}
