import StripeSdk, { type Stripe } from 'stripe'
import { Refusal } from '../../errors.ts'
import { ask, isRefused, orMissing } from './answers.ts'
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
export function paymentCalls(stripe: Stripe) {
  async function disputeOf(charge: string): Promise<Payment['dispute']> {
    const { data } = await ask(stripe.disputes.list({ charge, limit: 100 }))
    if (data.some(({ status }) => status === 'lost')) return 'lost'
    return data.every(({ status }) => wonDisputes.has(status)) ? 'won' : 'open'
  }

  return {
    /** Every payment that arrived, newest first. */
    async payments(customer: string): Promise<Payment[]> {
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

    async customerOfPayment(paymentIntentId: string) {
      const intent = await orMissing(ask(stripe.paymentIntents.retrieve(paymentIntentId)))
      return intent ? idOf(intent.customer) : null
    },
  }
}
