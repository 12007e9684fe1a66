import StripeSdk from 'stripe'
import { conflict } from '../../errors.ts'
import { type Client, isOtherUse, isRefused, subscriptionOf } from './client.ts'

type RefundNotes = {
  /** A refund with a purpose is made once, even if requested again. */
  purpose?: string
  reason?: 'duplicate' | 'requested_by_customer' | undefined
  /** Goodwill refund: the subscription continues. Stored in metadata at Stripe, so that every sync sees it. */
  keepsAccess?: boolean | undefined
}

export function paymentCalls({ sdk, ask, change }: Client) {
  async function refundsOf(paymentIntent: string) {
    const { data } = await ask(sdk.refunds.list({ payment_intent: paymentIntent, limit: 100 }))
    return data
  }

  return {
    /**
     * Refunds what `decide` returns after seeing the payment. Two requests at the same moment become one refund, in any
     * process: the key counts the refunds before it (failed ones too, so each attempt gets a new key), and they are
     * counted before reading how much was refunded. So a later request has either seen the refund or shares its key.
     */
    async refund(paymentIntentId: string, decide: () => Promise<number>, notes: RefundNotes = {}) {
      const { purpose, reason, keepsAccess } = notes
      const earlier = await refundsOf(paymentIntentId)
      const before = earlier.length
      const isDone = earlier.some(
        ({ metadata, status }) => metadata?.purpose === purpose && status !== 'failed' && status !== 'canceled',
      )
      if (purpose && isDone) return
      const amount = await decide()
      if (amount === 0) return
      try {
        const refund = await change(
          `refund-${paymentIntentId}-${before}`,
          (options) =>
            sdk.refunds.create(
              {
                payment_intent: paymentIntentId,
                amount,
                ...(reason && { reason }),
                metadata: { ...(purpose && { purpose }), ...(keepsAccess && { keeps_access: 'yes' }) },
              },
              options,
            ),
          async () => (await refundsOf(paymentIntentId)).length > before,
          (error) => isRefused(error) || isOtherUse(error),
        )
        if (refund?.status === 'failed') throw conflict('refund-refused', 'The bank refused this refund')
      } catch (error) {
        if (isRefused(error, { code: 'charge_already_refunded' })) return
        if (isOtherUse(error))
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

    /** True if the payment succeeded or is processing, even if the invoice does not show it yet. */
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
