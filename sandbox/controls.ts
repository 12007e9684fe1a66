import { getChargeForUpdate } from './api/money.ts'
import { addSchedule } from './api/subscriptions.ts'
import { addSteps, type Interval } from './basics.ts'
import { addInvoiceItem } from './billing/bills.ts'
import type { Clock } from './billing/clock.ts'
import { failRefund, moveDispute, openDispute, refund } from './billing/disputes.ts'
import { markUncollectible, payOutOfBand, updateSubscription, voidInvoice } from './billing/invoices.ts'
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

export function createControls({ books, clock, webhooks }: ControlsDeps) {
  async function act<T>(task: (work: Work) => Promise<T>): Promise<T> {
    const result = await books.write(task)
    void webhooks.wake()
    return result
  }

  return {
    ...timeControls(clock, () => void webhooks.wake()),
    ...behaviorControls(books, webhooks),
    ...eventControls(act),
    dashboard: dashboardControls(act),
  }
}

type WebhookQuirks = Pick<Quirks, 'duplicates' | 'spread' | 'drop' | 'delaySeconds'>

function behaviorControls(books: Books, webhooks: ReturnType<typeof createWebhooks>) {
  const { database, defaults } = books

  async function behave(quirks: Partial<Quirks>) {
    if (quirks.seed !== undefined) await database.query('alter sequence sandbox.draws restart')
    await database.query('update sandbox.settings set quirks = quirks || $1', [JSON.stringify(quirks)])
  }

  return {
    behave,

    behaveAsUsual: () => database.query(`update sandbox.settings set quirks = '{}'`),

    /** Each fault makes the next request that matches its `on` fail. */
    async failNext(...faults: Fault[]) {
      const { quirks } = await books.readSettings()
      await behave({ faults: [...quirks.faults, ...faults] })
    },

    webhooks: {
      /** Sets the webhook quirks that are not named to their defaults. */
      behave: (quirks: Partial<WebhookQuirks>) => {
        const { duplicates, spread, drop, delaySeconds } = defaults
        return behave({ duplicates, spread, drop, delaySeconds, ...quirks })
      },
      redeliver: webhooks.redeliver,
      flush: webhooks.flush,
    },
  }
}

type Act = <T>(task: (work: Work) => Promise<T>) => Promise<T>

/** Turns a function that changes an object into a control that takes the object's id. */
const createObjectControl =
  (act: Act) =>
  <K extends Kind, Options extends unknown[], T>(
    kind: K,
    change: (work: Work, stored: Kinds[K], ...options: Options) => Promise<T>,
  ) =>
  (id: string, ...options: Options) =>
    act(async (work) => change(work, await work.getForUpdate(kind, id), ...options))

function eventControls(act: Act) {
  const on = createObjectControl(act)
  const onPayment =
    <Options extends unknown[], T>(change: (work: Work, charge: Charge, ...options: Options) => Promise<T>) =>
    (paymentIntent: string, ...options: Options) =>
      act(async (work) => change(work, await getChargeForUpdate(work, paymentIntent), ...options))

  return {
    /** Stripe's customer portal sets only `cancel_at`, and may ask for a reason. */
    cancelInPortal: on('subscription', async (work, before, details: { feedback?: Feedback; comment?: string } = {}) =>
      updateSubscription(work, before, {
        ...before,
        cancel_at: periodOf(before).end,
        canceled_at: work.now,
        cancellation_details: { ...before.cancellation_details, ...details, reason: 'cancellation_requested' },
      }),
    ),
    pause: on('subscription', pause),
    archivePrice: on('price', async (work, price) => work.update(price, { ...price, active: false })),
    failNextRenewal: on('subscription', async (work, subscription) =>
      work.save({ ...subscription, $sandbox: { fail_next_renewal: true } }),
    ),
    refund: onPayment((work, charge, amount?: number) => refund(work, charge, amount)),
    failRefund: on('refund', failRefund),
    openDispute: onPayment(openDispute),
    warnOfFraud: onPayment((work, charge) => work.create(newFraudWarning(work.now, charge))),
    closeDispute: on('dispute', (work, dispute, outcome: 'won' | 'lost' | 'prevented' | 'warning_closed') =>
      moveDispute(work, dispute, outcome),
    ),

    authenticate: (intent: string, outcome: 'complete' | 'fail') =>
      act(async (work) => {
        const kind = intent.startsWith('seti_') ? 'setup_intent' : 'payment_intent'
        const result = await authenticate(work, await work.getForUpdate(kind, intent), outcome === 'complete')
        return { succeeded: !(result instanceof Failure) }
      }),
  }
}

function dashboardControls(act: Act) {
  const on = createObjectControl(act)
  const changeCustomer = (id: string, change: (customer: Customer) => Customer) =>
    act(async (work) => {
      await work.getForUpdate('customer', id)
      const before = await work.customer(id)
      await work.update(before, change(before))
    })

  return {
    unpause: on('subscription', resume),
    /** `cancellation_details` stay. */
    undoCancellation: on('subscription', async (work, before) =>
      updateSubscription(work, before, { ...before, cancel_at: null, cancel_at_period_end: false, canceled_at: null }),
    ),
    changePrice: on('subscription', async (work, before, price: string) =>
      changePlan(work, before, { price: await work.get('price', price) }),
    ),
    setQuantity: on('subscription', (work, before, quantity: number) => changePlan(work, before, { quantity })),
    applyCoupon: on('subscription', applyCoupon),
    applyCouponToCustomer: (customer: string, terms: DiscountTerms) =>
      act(async (work) => {
        await work.getForUpdate('customer', customer)
        await applyCouponToCustomer(work, await work.customer(customer), terms)
      }),
    /** In cents. Stripe stores credit as a negative balance and uses it before the card. */
    giveCredit: (id: string, amount: number) =>
      changeCustomer(id, (customer) => ({ ...customer, balance: customer.balance - amount })),
    /** Without an address, Stripe cannot calculate the tax. */
    removeAddress: (id: string) => changeCustomer(id, (customer) => ({ ...customer, address: null })),
    /** The dashboard's "Schedule update". */
    schedule: on('subscription', addSchedule),
    /** In cents. */
    addInvoiceItem: on('subscription', (work, subscription, amount: number) =>
      addInvoiceItem(work, subscription, amount, 'Private lesson'),
    ),
    markUncollectible: on('invoice', markUncollectible),
    voidInvoice: on('invoice', voidInvoice),
    /** The dashboard's "Pause payment collection"; null resumes collection. */
    pauseCollection: on('subscription', (work, before, pausedCollection: PausedCollection | null) =>
      updateSubscription(work, before, { ...before, pause_collection: pausedCollection }),
    ),
    payOutOfBand: on('invoice', payOutOfBand),
    /** Stripe's card updater: the card's network reports a new expiry date. */
    updateCard: on('payment_method', async (work, before, card: { exp_month: number; exp_year: number }) => {
      const after = await work.save({ ...before, card: { ...before.card, ...card } })
      work.emit('payment_method.automatically_updated', after, before)
    }),
    detachCard: on('payment_method', async (work, before) => {
      const after = await work.save({ ...before, customer: null })
      for (const subscription of await work.all('subscription', { default_payment_method: before.id }))
        await work.save({ ...subscription, default_payment_method: null })
      work.emit('payment_method.detached', after, before)
    }),
    moveDispute: on('dispute', moveDispute),
  }
}

const secondsPer = { hour: 3600, minute: 60, second: 1 }

function timeControls(clock: Clock, wakeWebhooks: () => void) {
  /** In seconds since 1970, by the sandbox's clock. */
  async function after(count: number, interval: Interval | keyof typeof secondsPer) {
    const now = await clock.now()
    if (interval === 'hour' || interval === 'minute' || interval === 'second') return now + count * secondsPer[interval]
    return addSteps(now, { interval, interval_count: 1 }, count)
  }

  return {
    now: clock.now,
    after,

    async advance(count: number, interval: Parameters<typeof after>[1]) {
      if (!(count > 0)) throw invalid('Time only moves forward.')
      await clock.advanceTo(await after(count, interval))
      wakeWebhooks()
    },

    stopBilling: clock.stopBilling,

    /** Ends the delay of all payments in progress. */
    async settle() {
      await clock.settle()
      wakeWebhooks()
    },
  }
}
