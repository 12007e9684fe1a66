import type { Stripe } from 'stripe'
import { type Client, isRefused } from './answers.ts'
import type { Payment } from './payments.ts'
import { date, dateOrNull, idOf } from './values.ts'

/** What the shop needs to know of a subscription, as Stripe says it is right now. */
export type Subscription = {
  id: string
  customerId: string
  status: Stripe.Subscription.Status
  /** What each period costs, as its item says: an older subscription keeps its price. */
  amount: number
  currentPeriodEnd: Date
  /** When a wanted cancellation takes effect. */
  endsAt: Date | null
  endedAt: Date | null
  latestInvoice: { id: string; status: string | null; createdAt: Date; attempts: number } | null
  /** Every payment that arrived, newest first. */
  payments: Payment[]
}

export type NewSubscription = {
  customerId: string
  subscriptionId: string
  paymentIntentId: string
  clientSecret: string
}

type PaymentsOf = (customer: string) => Promise<Payment[]>

const willEnd = ({ cancel_at_period_end: atPeriodEnd, cancel_at: at }: Stripe.Subscription) =>
  atPeriodEnd || at !== null

/** What the browser needs to pay the first invoice. */
const withFirstPayment = ['latest_invoice.confirmation_secret', 'latest_invoice.payments']

export function subscriptionCalls({ sdk, ask, orMissing, change }: Client, paymentsOf: PaymentsOf) {
  return {
    /**
     * Nothing when the price is no longer sold.
     * A customer for each checkout: a guest who types someone's e-mail never touches that person's cards.
     */
    async createSubscription(wanted: {
      attempt: string
      email: string
      priceId: string
    }): Promise<NewSubscription | undefined> {
      const metadata = { checkout: wanted.attempt }
      const customer = await ask(
        sdk.customers.create(
          { email: wanted.email, metadata },
          { idempotencyKey: `customer-${wanted.attempt}` },
        ),
      )
      const isNotSold = (error: unknown) => isRefused(error, { param: 'items[0][price]' })
      const request = sdk.subscriptions.create(
        {
          customer: customer.id,
          items: [{ price: wanted.priceId }],
          payment_behavior: 'default_incomplete',
          payment_settings: {
            save_default_payment_method: 'on_subscription',
            payment_method_types: ['card'],
          },
          metadata,
          expand: withFirstPayment,
        },
        { idempotencyKey: `subscription-${wanted.attempt}-${wanted.priceId}` },
      )
      const subscription = await ask(request, isNotSold).catch((error: unknown) => {
        if (!isNotSold(error)) throw error
      })
      if (!subscription) return undefined
      const { paymentIntentId, clientSecret } = firstPayment(subscription)
      return { customerId: customer.id, subscriptionId: subscription.id, paymentIntentId, clientSecret }
    },

    /** The secret of a checkout that is still unpaid, or nothing. */
    async openClientSecret(subscriptionId: string): Promise<string | undefined> {
      const subscription = await ask(sdk.subscriptions.retrieve(subscriptionId, { expand: withFirstPayment }))
      return subscription.status === 'incomplete' ? firstPayment(subscription).clientSecret : undefined
    },

    async subscription(id: string): Promise<Subscription> {
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
        },
        payments: await paymentsOf(customerId),
      }
    },

    /** The key makes parallel wishes one: see `purchases.cancel`. */
    async cancelAtPeriodEnd(id: string, key: string) {
      await change(
        key,
        (options) => sdk.subscriptions.update(id, { cancel_at_period_end: true }, options),
        async () => willEnd(await ask(sdk.subscriptions.retrieve(id))),
      )
    },

    /** Takes a cancellation back, also one that Stripe's portal has made: it sets only a date. */
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

    /** At once. Cancelling what is cancelled already changes nothing. */
    async cancelNow(id: string) {
      await orMissing(sdk.subscriptions.cancel(id))
    },
  }
}

function firstPayment({ id, latest_invoice: invoice }: Stripe.Subscription) {
  const paid = typeof invoice === 'object' ? invoice : null
  const paymentIntentId = idOf(paid?.payments?.data[0]?.payment.payment_intent)
  const clientSecret = paid?.confirmation_secret?.client_secret
  if (!paymentIntentId || !clientSecret) throw new Error(`Subscription ${id} has no payment to confirm`)
  return { paymentIntentId, clientSecret }
}
