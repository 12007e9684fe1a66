import type { Stripe } from 'stripe'
import { type Client, idOf, isRefused } from './client.ts'
import { type Invoicing, type Tax, taxReader } from './taxes.ts'

type NewSubscription = {
  customerId: string
  subscriptionId: string
  paymentIntentId: string
  clientSecret: string
}

/** The parameter that names the price. */
const price = 'items[0][price]'

/** What the browser needs to pay the first invoice. */
const withFirstPayment = ['latest_invoice.confirmation_secret', 'latest_invoice.payments']

/** A subscription until its first payment. */
export function newSubscriptionCalls({ sdk, ask }: Client, { automaticTax }: Invoicing) {
  const taxOf = taxReader({ sdk, ask })
  return {
    /** Reports what is missing when the price is no longer sold or the customer was deleted. */
    async create(wanted: {
      attempt: string
      customerId: string
      priceId: string
    }): Promise<NewSubscription | { missing: 'price' | 'customer' }> {
      const isGone = (error: unknown, param: string) => isRefused(error, { param })
      const request = sdk.subscriptions.create(
        {
          customer: wanted.customerId,
          items: [{ price: wanted.priceId }],
          payment_behavior: 'default_incomplete',
          payment_settings: {
            save_default_payment_method: 'on_subscription',
            payment_method_types: ['card'],
          },
          ...(automaticTax ? { automatic_tax: { enabled: true } } : {}),
          metadata: { checkout: wanted.attempt },
          expand: withFirstPayment,
        },
        { idempotencyKey: `subscription-${wanted.attempt}-${wanted.priceId}-${wanted.customerId}` },
      )
      try {
        const subscription = await ask(request, (error) => isGone(error, price) || isGone(error, 'customer'))
        return {
          customerId: wanted.customerId,
          subscriptionId: subscription.id,
          ...firstPayment(subscription),
        }
      } catch (error) {
        if (isGone(error, price)) return { missing: 'price' }
        if (isGone(error, 'customer')) return { missing: 'customer' }
        throw error
      }
    },

    /** The secret of a checkout that is still unpaid, or nothing. */
    async openClientSecret(subscriptionId: string): Promise<string | undefined> {
      const subscription = await ask(sdk.subscriptions.retrieve(subscriptionId, { expand: withFirstPayment }))
      return subscription.status === 'incomplete' ? firstPayment(subscription).clientSecret : undefined
    },

    /** The tax inside the first invoice, to be shown before it is paid. */
    async taxOnFirstInvoice(subscriptionId: string): Promise<Tax | null> {
      if (!automaticTax) return null
      const { latest_invoice: invoice } = await ask(
        sdk.subscriptions.retrieve(subscriptionId, { expand: ['latest_invoice'] }),
      )
      return invoice && typeof invoice === 'object' ? taxOf(invoice) : null
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
