import type { Stripe } from 'stripe'
import { conflict } from '../../errors.ts'
import { type Invoicing, type Tax, taxReader } from './amounts.ts'
import { type Client, idOf, isRefused } from './client.ts'
import { defaultPayment } from './history.ts'

type FirstPayment = { clientSecret: string; amountDue: number; tax: Tax | null }

type NewSubscription = FirstPayment & { customerId: string; subscriptionId: string; paymentIntentId: string }

/** Parameters that Stripe names in its refusal if the price or the coupon is missing. */
const priceParam = 'items[0][price]'
const couponParam = 'discounts[0][coupon]'

const withFirstPayment = ['latest_invoice.confirmation_secret', 'latest_invoice.payments']

export function newSubscriptionCalls(client: Client, { automaticTax }: Invoicing) {
  const { sdk, ask, orNothing, report } = client
  const taxOf = taxReader({ sdk, ask })

  /** A credit or a coupon covers the whole subscription. Cancels it, restores the credit, and returns the refusal. */
  async function refuseFree({ id, customer }: Stripe.Subscription, invoice: Stripe.Invoice) {
    await orNothing(sdk.subscriptions.cancel(id))
    const amount = invoice.ending_balance === null ? 0 : invoice.ending_balance - invoice.starting_balance
    if (amount > 0)
      await ask(
        sdk.creditNotes.create(
          { invoice: invoice.id, amount, credit_amount: amount, email_type: 'none' },
          { idempotencyKey: `credit-back-${invoice.id}` },
        ),
      )
    const message = `Nothing is due for ${id}: a credit or a coupon of ${idOf(customer)} covers it`
    const type = 'NothingDue'
    report({ type, message, status: undefined, code: undefined, requestId: undefined, isOutage: false })
    return conflict(
      'nothing-due',
      `You have a credit with us that covers this. Please write to us, and we’ll set it up for you.`,
    )
  }

  async function firstPayment(subscription: Stripe.Subscription) {
    const { id, latest_invoice: invoice } = subscription
    const firstInvoice = typeof invoice === 'object' ? invoice : null
    if (firstInvoice?.status === 'paid' && firstInvoice.amount_due === 0)
      throw await refuseFree(subscription, firstInvoice)
    const paymentIntentId = idOf(defaultPayment(firstInvoice?.payments?.data)?.payment.payment_intent)
    const clientSecret = firstInvoice?.confirmation_secret?.client_secret
    if (!firstInvoice || !paymentIntentId || !clientSecret)
      throw new Error(`Subscription ${id} has no payment to confirm`)
    const tax = automaticTax ? await taxOf(firstInvoice) : null
    return { paymentIntentId, clientSecret, amountDue: firstInvoice.amount_due, tax }
  }

  return {
    /** Names the missing object if the price is archived, or the customer or coupon is deleted. */
    async create(wanted: {
      attempt: string
      customerId: string
      priceId: string
      couponId?: string | undefined
      /** Makes the repeated request use another idempotency key. */
      recreatedObjects?: number
    }): Promise<NewSubscription | { missing: 'price' | 'customer' | 'coupon' }> {
      const { attempt, priceId, customerId, couponId, recreatedObjects } = wanted
      const repetition = recreatedObjects ? String(recreatedObjects) : ''
      const isGone = (error: unknown, param: string) => isRefused(error, { param })
      const params: Stripe.SubscriptionCreateParams = {
        customer: customerId,
        items: [{ price: priceId }],
        payment_behavior: 'default_incomplete',
        // Set explicitly, because the account's default may write prorations and discounts in another way.
        billing_mode: { type: 'flexible', flexible: { proration_discounts: 'included' } },
        payment_settings: { save_default_payment_method: 'on_subscription', payment_method_types: ['card'] },
        metadata: { checkout: attempt },
        expand: withFirstPayment,
      }
      if (couponId) params.discounts = [{ coupon: couponId }]
      if (automaticTax) params.automatic_tax = { enabled: true }
      const idempotencyKey = `subscription-${attempt}-${priceId}-${customerId}${repetition}`
      const request = sdk.subscriptions.create(params, { idempotencyKey })
      try {
        const subscription = await ask(request, (error) =>
          [priceParam, couponParam, 'customer'].some((param) => isGone(error, param)),
        )
        return { customerId, subscriptionId: subscription.id, ...(await firstPayment(subscription)) }
      } catch (error) {
        if (isGone(error, priceParam)) return { missing: 'price' }
        if (isGone(error, 'customer')) return { missing: 'customer' }
        if (isGone(error, couponParam)) return { missing: 'coupon' }
        throw error
      }
    },

    /** Payment data of an unpaid checkout; undefined if it is paid or gone. */
    async open(subscriptionId: string): Promise<FirstPayment | undefined> {
      const subscription = await ask(sdk.subscriptions.retrieve(subscriptionId, { expand: withFirstPayment }))
      if (subscription.status !== 'incomplete') return undefined
      const { clientSecret, amountDue, tax } = await firstPayment(subscription)
      return { clientSecret, amountDue, tax }
    },
  }
}
