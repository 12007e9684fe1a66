// The value by its default name: the SDK's CommonJS form (see boot.js) has no other.
import StripeSdk, { type Stripe } from 'stripe'
import { Refusal } from '../errors.ts'
import { ask, isRefused, orMissing } from './stripe-answers.ts'

/** Where Stripe is reached: its own address, or the sandbox's. */
export type StripeAddress = { protocol: 'http' | 'https'; host: string; port: number }

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
export type Payment = {
  paymentIntentId: string
  paidAt: Date
  amount: number
  refunded: number
  dispute: 'none' | 'open' | 'won' | 'lost'
}
export type NewSubscription = {
  customerId: string
  subscriptionId: string
  paymentIntentId: string
  clientSecret: string
}
/** An event says only whom it is about; what is true is asked from Stripe. */
export type StripeEvent = {
  id: string
  type: string
  customerId: string | null
  paymentIntentId: string | null
}

export type StripeGateway = ReturnType<typeof createStripeGateway>

const wonDisputes = new Set<string>(['won', 'warning_closed', 'prevented'])

const date = (seconds: number) => new Date(seconds * 1000)
const dateOrNull = (seconds: number | null) => (seconds === null ? null : date(seconds))
const idOf = (given: string | { id: string } | null | undefined) =>
  typeof given === 'string' ? given : (given?.id ?? null)

export function createStripeGateway({
  secretKey,
  webhookSecret,
  address,
}: {
  secretKey: string
  webhookSecret: string
  address?: StripeAddress
}) {
  const stripe = new StripeSdk(secretKey, {
    maxNetworkRetries: 3,
    timeout: 10_000,
    telemetry: false,
    ...address,
  })

  async function payments(customer: string): Promise<Payment[]> {
    const charges = await ask(stripe.charges.list({ customer, limit: 100 }))
    return Promise.all(
      charges.data
        .filter(({ status, payment_intent }) => status === 'succeeded' && payment_intent)
        .map(async (charge) => ({
          paymentIntentId: idOf(charge.payment_intent) ?? '',
          paidAt: date(charge.created),
          amount: charge.amount,
          refunded: charge.amount_refunded,
          dispute: charge.disputed ? await disputeOf(charge.id) : ('none' as const),
        })),
    )
  }

  async function disputeOf(charge: string): Promise<Payment['dispute']> {
    const { data } = await ask(stripe.disputes.list({ charge, limit: 100 }))
    if (data.some(({ status }) => status === 'lost')) return 'lost'
    return data.every(({ status }) => wonDisputes.has(status)) ? 'won' : 'open'
  }

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
            expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
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
        stripe.subscriptions.retrieve(subscriptionId, {
          expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
        }),
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
        payments: await payments(customerId),
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

    /** Pays back; the key says which wish it is, so that a repeated one is the same refund. */
    async refund(paymentIntentId: string, amount: number, idempotencyKey: string) {
      try {
        await ask(stripe.refunds.create({ payment_intent: paymentIntentId, amount }, { idempotencyKey }))
      } catch (error) {
        if (isRefused(error, 'charge_already_refunded')) return
        throw error instanceof StripeSdk.errors.StripeInvalidRequestError
          ? new Refusal(409, error.message)
          : error
      }
    },

    async invoices(subscription: string) {
      const { data } = await ask(stripe.invoices.list({ subscription, limit: 100 }))
      return data.map((invoice) => ({
        id: invoice.id,
        number: invoice.number,
        createdAt: date(invoice.created),
        amount: invoice.total,
        status: invoice.status ?? 'draft',
        invoiceUrl: invoice.hosted_invoice_url ?? null,
        pdfUrl: invoice.invoice_pdf ?? null,
      }))
    },

    async createSetupIntent(customer: string) {
      const intent = await ask(
        stripe.setupIntents.create({
          customer,
          usage: 'off_session',
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        }),
      )
      return intent.client_secret ?? ''
    },

    /** The card that a finished setup has stored for this customer; nothing for anybody else's. */
    async storedCard(setupIntentId: string, customer: string): Promise<string | undefined> {
      const intent = await orMissing(ask(stripe.setupIntents.retrieve(setupIntentId)))
      if (!intent || intent.status !== 'succeeded' || idOf(intent.customer) !== customer) return undefined
      return idOf(intent.payment_method) ?? undefined
    },

    async useCard(subscriptionId: string, card: string) {
      await ask(stripe.subscriptions.update(subscriptionId, { default_payment_method: card }))
    },

    /** Pays an open invoice. Answers a secret when the bank wants the buyer to confirm it. */
    async payInvoice(id: string, card: string): Promise<string | null> {
      try {
        await ask(stripe.invoices.pay(id, { payment_method: card }))
        return null
      } catch (error) {
        if (!(error instanceof StripeSdk.errors.StripeError)) throw error
        if (error.code === 'invoice_already_paid') return null
        if (error.code !== 'invoice_payment_intent_requires_action') throw error
        const invoice = await ask(stripe.invoices.retrieve(id, { expand: ['confirmation_secret'] }))
        return invoice.confirmation_secret?.client_secret ?? null
      }
    },

    async customerOfPayment(paymentIntentId: string) {
      const intent = await orMissing(ask(stripe.paymentIntents.retrieve(paymentIntentId)))
      return intent ? idOf(intent.customer) : null
    },

    /** Every event since then, newest first. Stripe keeps them for 30 days. */
    async *eventsSince(since: Date, types: string[]): AsyncGenerator<StripeEvent> {
      const from = Math.floor(since.getTime() / 1000)
      for await (const event of stripe.events.list({ created: { gte: from }, types, limit: 100 }))
        yield about(event)
    },

    /** Throws unless Stripe itself has signed exactly these bytes, not long ago. */
    readEvent: (body: Buffer, signature: string): StripeEvent =>
      about(stripe.webhooks.constructEvent(body, signature, webhookSecret)),

    /** The price with this lookup key, made when it is missing. */
    async ensurePrice(wanted: {
      lookupKey: string
      product: { id: string; name: string }
      amount: number
      interval: 'month' | 'year'
    }): Promise<{ id: string; asWanted: boolean; found: string }> {
      const { data } = await ask(stripe.prices.list({ lookup_keys: [wanted.lookupKey], active: true }))
      const price =
        data[0] ??
        (await ask(
          stripe.prices.create(
            {
              lookup_key: wanted.lookupKey,
              currency: 'usd',
              unit_amount: wanted.amount,
              recurring: { interval: wanted.interval },
              product: await ensureProduct(wanted.product),
            },
            { idempotencyKey: `price-${wanted.lookupKey}-${wanted.amount}` },
          ),
        ))
      return {
        id: price.id,
        asWanted:
          price.unit_amount === wanted.amount &&
          price.currency === 'usd' &&
          price.recurring?.interval === wanted.interval &&
          price.recurring.interval_count === 1,
        found: `${((price.unit_amount ?? 0) / 100).toFixed(2)} ${price.currency.toUpperCase()} per ${price.recurring?.interval ?? 'payment'}`,
      }
    },
  }

  async function ensureProduct({ id, name }: { id: string; name: string }) {
    const found = await orMissing(ask(stripe.products.retrieve(id)))
    if (!found) await ask(stripe.products.create({ id, name }, { idempotencyKey: `product-${id}` }))
    return id
  }
}

function firstPayment({ id, latest_invoice: invoice }: Stripe.Subscription) {
  const paid = typeof invoice === 'object' ? invoice : null
  const paymentIntentId = idOf(paid?.payments?.data[0]?.payment.payment_intent)
  const clientSecret = paid?.confirmation_secret?.client_secret
  if (!paymentIntentId || !clientSecret) throw new Error(`Subscription ${id} has no payment to confirm`)
  return { paymentIntentId, clientSecret }
}

function about({ id, type, data }: Stripe.Event): StripeEvent {
  const object = data.object as { object: string; id: string; customer?: string; payment_intent?: string }
  return {
    id,
    type,
    customerId: idOf(object.customer),
    paymentIntentId: object.object === 'payment_intent' ? object.id : idOf(object.payment_intent),
  }
}
