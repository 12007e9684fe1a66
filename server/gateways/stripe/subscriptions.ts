import type { Stripe } from 'stripe'
import { type Client, date, dateOrNull, idOf } from './client.ts'
import type { Payment } from './payments.ts'
import { type Tax, taxReader } from './taxes.ts'

/** What the shop needs to know about a subscription, as Stripe reports it right now. */
export type Subscription = {
  id: string
  customerId: string
  status: Stripe.Subscription.Status
  /** What each period costs, according to its item: an older subscription keeps its price. */
  amount: number
  currentPeriodEnd: Date
  /** When a scheduled cancellation takes effect. */
  endsAt: Date | null
  endedAt: Date | null
  latestInvoice: {
    id: string
    status: string | null
    createdAt: Date
    attempts: number
    nextAttemptAt: Date | null
    tax: Tax | null
  } | null
  /** Every payment received, newest first. */
  payments: Payment[]
}

type PaymentsOf = (subscription: string, customer: string) => Promise<Payment[]>

const willEnd = ({ cancel_at_period_end: atPeriodEnd, cancel_at: at }: Stripe.Subscription) =>
  atPeriodEnd || at !== null

/** A subscription from its first payment to its end. */
export function subscriptionCalls({ sdk, ask, orMissing, change }: Client, paymentsOf: PaymentsOf) {
  const taxOf = taxReader({ sdk, ask })
  return {
    async read(id: string): Promise<Subscription> {
      const found = await ask(sdk.subscriptions.retrieve(id, { expand: ['latest_invoice'] }))
      const customerId = idOf(found.customer) ?? ''
      const [item] = found.items.data
      if (!item) throw new Error(`Subscription ${id} has no item`)
      const invoice = typeof found.latest_invoice === 'object' ? found.latest_invoice : null
      return {
        id: found.id,
        customerId,
        status: found.status,
        amount: (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
        currentPeriodEnd: date(item.current_period_end),
        endsAt: dateOrNull(found.cancel_at ?? (found.cancel_at_period_end ? item.current_period_end : null)),
        endedAt: dateOrNull(found.ended_at),
        latestInvoice: invoice && {
          id: invoice.id,
          status: invoice.status,
          createdAt: date(invoice.created),
          attempts: invoice.attempt_count,
          nextAttemptAt: dateOrNull(invoice.next_payment_attempt),
          tax: await taxOf(invoice),
        },
        payments: await paymentsOf(found.id, customerId),
      }
    },

    /** The key makes parallel requests one: see `purchases/ending.ts`. */
    async cancelAtPeriodEnd(id: string, key: string) {
      await change(
        key,
        (options) => sdk.subscriptions.update(id, { cancel_at_period_end: true }, options),
        async () => willEnd(await ask(sdk.subscriptions.retrieve(id))),
      )
    },

    /** On a day within a paid period; what is to be paid back for the rest of it is the caller's to refund. */
    async cancelAt(id: string, at: Date, key: string) {
      const cancel_at = Math.floor(at.getTime() / 1000)
      await change(
        key,
        (options) => sdk.subscriptions.update(id, { cancel_at, proration_behavior: 'none' }, options),
        async () => willEnd(await ask(sdk.subscriptions.retrieve(id))),
      )
    },

    /** Undoes a cancellation, even one from Stripe's portal, which only sets a date. */
    async resume(id: string, key: string) {
      const found = await ask(sdk.subscriptions.retrieve(id))
      if (!willEnd(found)) return
      await change(
        key,
        (options) =>
          sdk.subscriptions.update(
            id,
            found.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' },
            options,
          ),
        async () => !willEnd(await ask(sdk.subscriptions.retrieve(id))),
      )
    },

    /** Moves the next payment: a trial until then, which is how Stripe gives time away. */
    async extend(id: string, until: Date, key: string) {
      const trial_end = Math.floor(until.getTime() / 1000)
      await change(
        key,
        (options) => sdk.subscriptions.update(id, { trial_end, proration_behavior: 'none' }, options),
        async () => (await ask(sdk.subscriptions.retrieve(id))).trial_end === trial_end,
      )
    },

    async useCard(id: string, card: string) {
      await ask(sdk.subscriptions.update(id, { default_payment_method: card }))
    },

    /** Ends it immediately. Cancelling twice changes nothing. */
    async cancelNow(id: string) {
      await orMissing(sdk.subscriptions.cancel(id))
    },
  }
}
