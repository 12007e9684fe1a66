import StripeSdk, { type Stripe } from 'stripe'
import { conflict } from '../../errors.ts'
import { type Client, isKeyConflict, isRefused, subscriptionOf } from './client.ts'

/** Stored in the refund's metadata, so that every sync sees them. */
export type RefundNotes = {
  /** For the unused part of a term. Counts against the amount promised for it; see `Subscription.promise`. */
  forUnusedTerm?: boolean
  reason?: 'duplicate' | 'requested_by_customer' | undefined
  /** The subscription continues. */
  keepsAccess?: boolean | undefined
}

export function paymentCalls({ sdk, ask, change }: Client) {
  async function refundsOf(paymentIntent: string) {
    const { data } = await ask(sdk.refunds.list({ payment_intent: paymentIntent, limit: 100 }))
    return data
  }

  return {
    /**
     * The idempotency key contains the number of earlier refunds, so concurrent requests, in any process, become one refund.
     * They are counted before `decideAmount` runs: a later request either sees the refund or has its key.
     */
    async refund(paymentIntentId: string, decideAmount: () => Promise<number>, notes: RefundNotes = {}) {
      const { forUnusedTerm, reason, keepsAccess } = notes
      const earlierCount = (await refundsOf(paymentIntentId)).length
      const amount = await decideAmount()
      if (amount === 0) return
      const metadata: Stripe.MetadataParam = {}
      if (forUnusedTerm) metadata.unused_term = 'yes'
      if (keepsAccess) metadata.keeps_access = 'yes'
      const params: Stripe.RefundCreateParams = { payment_intent: paymentIntentId, amount, metadata }
      if (reason) params.reason = reason
      try {
        const refund = await change(
          `refund-${paymentIntentId}-${earlierCount}`,
          (options) => sdk.refunds.create(params, options),
          async () => (await refundsOf(paymentIntentId)).length > earlierCount,
          (error) => isRefused(error) || isKeyConflict(error),
        )
        if (refund?.status === 'failed') throw conflict('refund-refused', 'The bank refused this refund')
      } catch (error) {
        if (isRefused(error, { code: 'charge_already_refunded' })) return
        if (isKeyConflict(error))
          throw conflict(
            'changed-meanwhile',
            'Someone else refunded this payment at the same moment. Please look again.',
          )
        // Shown to the seller in Stripe's own words.
        throw error instanceof StripeSdk.errors.StripeInvalidRequestError
          ? conflict('refund-refused', error.message)
          : error
      }
    },

    /** True even if the invoice does not show the payment yet. */
    async hasPaid(paymentIntentId: string): Promise<boolean> {
      const { status } = await ask(sdk.paymentIntents.retrieve(paymentIntentId))
      return status === 'succeeded' || status === 'processing'
    },

    async subscriptionOf(paymentIntentId: string): Promise<string | null> {
      const { data } = await ask(
        sdk.invoicePayments.list({
          payment: { type: 'payment_intent', payment_intent: paymentIntentId },
          expand: ['data.invoice'],
        }),
      )
      const invoice = data[0]?.invoice
      return typeof invoice === 'object' && !invoice.deleted ? subscriptionOf(invoice) : null
    },
  }
}
