import StripeSdk from 'stripe'
import { conflict } from '../../errors.ts'
import { type Client, isRefused } from './answers.ts'
import { date, idOf } from './values.ts'

export type Payment = {
  paymentIntentId: string
  paidAt: Date
  amount: number
  refunded: number
  dispute: 'none' | 'open' | 'won' | 'lost'
}

const wonDisputes = new Set<string>(['won', 'warning_closed', 'prevented'])

/** Money that came, and money that goes back. */
export function paymentCalls({ sdk, ask, orMissing, change }: Client) {
  async function disputeOf(charge: string): Promise<Payment['dispute']> {
    const { data } = await ask(sdk.disputes.list({ charge, limit: 100 }))
    if (data.some(({ status }) => status === 'lost')) return 'lost'
    return data.every(({ status }) => wonDisputes.has(status)) ? 'won' : 'open'
  }

  async function refundsOf(paymentIntent: string) {
    const { data } = await ask(sdk.refunds.list({ payment_intent: paymentIntent, limit: 100 }))
    return data.length
  }

  return {
    /** Every payment that arrived, newest first. */
    async payments(customer: string): Promise<Payment[]> {
      const charges = await ask(sdk.charges.list({ customer, limit: 100 }))
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
    },

    /**
     * Pays back. Two wishes of one moment are one refund: the key counts the refunds before it, failed ones too, so
     * that after a failed one it is another key and not the old answer again.
     */
    async refund(paymentIntentId: string, amount: number) {
      const before = await refundsOf(paymentIntentId)
      try {
        const refund = await change(
          `refund-${paymentIntentId}-${before}-${amount}`,
          (options) => sdk.refunds.create({ payment_intent: paymentIntentId, amount }, options),
          async () => (await refundsOf(paymentIntentId)) > before,
          (error) => isRefused(error),
        )
        if (refund?.status === 'failed') throw conflict('The bank has refused this refund')
      } catch (error) {
        if (isRefused(error, { code: 'charge_already_refunded' })) return
        // Read by the seller: Stripe's own words say best why.
        throw error instanceof StripeSdk.errors.StripeInvalidRequestError ? conflict(error.message) : error
      }
    },

    async customerOfPayment(paymentIntentId: string) {
      const intent = await orMissing(sdk.paymentIntents.retrieve(paymentIntentId))
      return intent ? idOf(intent.customer) : null
    },
  }
}
