import type { Stripe } from 'stripe'
import { ask, orMissing } from './answers.ts'
import type { Payment } from './payments.ts'
import { date, dateOrNull, idOf } from './values.ts'

/** What the shop needs to know of a subscription, as Stripe says it is right now. */
export type Subscription = {
  id: string
  customerId: string
  status: Stripe.Subscription.Status
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

/** What the browser needs to pay the first invoice. */
const withFirstPayment = ['latest_invoice.confirmation_secret', 'latest_invoice.payments']

export function subscriptionCalls(stripe: Stripe, paymentsOf: PaymentsOf) {
  return {
    /** A customer for each checkout: a guest who types someone's e-mail never touches that person's cards. */
    async createSubscription(wanted: {
      attempt: string
      email: string
      priceId: string
    }): Promise<NewSubscription> {
      const metadata = { checkout: wanted.attempt }
      const customer = await ask(
        stripe.customers.create(
          { email: wanted.email, metadata },
          { idempotencyKey: `customer-${wanted.attempt}` },
        ),
      )
      const subscription = await ask(
        stripe.subscriptions.create(
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
          { idempotencyKey: `subscription-${wanted.attempt}` },
        ),
      )
      const { paymentIntentId, clientSecret } = firstPayment(subscription)
      return { customerId: customer.id, subscriptionId: subscription.id, paymentIntentId, clientSecret }
    },

    /** The secret of a checkout that is still unpaid, or nothing. */
    async openClientSecret(subscriptionId: string): Promise<string | undefined> {
      const subscription = await ask(
        stripe.subscriptions.retrieve(subscriptionId, { expand: withFirstPayment }),
      )
      return subscription.status === 'incomplete' ? firstPayment(subscription).clientSecret : undefined
    },

    async subscription(id: string): Promise<Subscription> {
      const found = await ask(stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }))
      const customerId = idOf(found.customer) ?? ''
      const [item] = found.items.data
      if (!item) throw new Error(`Subscription ${id} has no item`)
      const invoice = typeof found.latest_invoice === 'object' ? found.latest_invoice : null
      return {
        id: found.id,
        customerId,
        status: found.status,
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
    async cancelAtPeriodEnd(id: string, wanted: boolean, idempotencyKey: string) {
      await ask(
        stripe.subscriptions.update(
          id,
          wanted ? { cancel_at_period_end: true } : { cancel_at_period_end: false },
          { idempotencyKey },
        ),
      )
    },

    /** At once. Cancelling what is cancelled already changes nothing. */
    async cancelNow(id: string) {
      await orMissing(ask(stripe.subscriptions.cancel(id)))
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
