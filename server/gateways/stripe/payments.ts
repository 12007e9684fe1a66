import StripeSdk, { type Stripe } from 'stripe'
import { conflict } from '../../errors.ts'
import { type Client, date, dateOrNull, idOf, isMissing, isRefused, subscriptionOf } from './client.ts'

export type Payment = {
  paymentIntentId: string
  paidAt: Date
  amount: number
  refunded: number
  dispute: 'none' | 'open' | 'won' | 'lost'
  /** Until when evidence can be sent; null if there is nothing to answer. */
  disputeDueAt: Date | null
  /** Where the card was issued. */
  cardCountry: string | null
}

const wonDisputes = new Set<string>(['won', 'warning_closed', 'prevented'])

/** The key was used for another amount at the same moment. */
const isOtherUse = (error: unknown) => error instanceof StripeSdk.errors.StripeIdempotencyError

/** Money that came in, and money that goes back. */
export function paymentCalls({ sdk, ask, all, change }: Client) {
  async function disputeOf({
    id,
    disputed,
  }: Stripe.Charge): Promise<Pick<Payment, 'dispute' | 'disputeDueAt'>> {
    if (!disputed) return { dispute: 'none', disputeDueAt: null }
    const { data } = await ask(sdk.disputes.list({ charge: id, limit: 100 }))
    if (data.some(({ status }) => status === 'lost')) return { dispute: 'lost', disputeDueAt: null }
    const open = data.filter(({ status }) => !wonDisputes.has(status))
    const dueBy = open.flatMap(({ evidence_details: { due_by } }) => due_by || []).toSorted((a, b) => a - b)
    return { dispute: open.length > 0 ? 'open' : 'won', disputeDueAt: dateOrNull(dueBy[0] ?? null) }
  }

  async function refundsOf(paymentIntent: string) {
    const { data } = await ask(sdk.refunds.list({ payment_intent: paymentIntent, limit: 100 }))
    return data
  }

  /** The intents meant to pay this subscription's invoices. */
  async function intentsOf(subscription: string): Promise<Set<string>> {
    const invoices = await all(sdk.invoices.list({ subscription, expand: ['data.payments'], limit: 100 }))
    const payments = invoices.flatMap((invoice) => invoice.payments?.data ?? [])
    return new Set(payments.flatMap(({ payment }) => idOf(payment.payment_intent) ?? []))
  }

  /** All in one list; for a deleted customer, one by one. */
  async function chargesOf(customer: string, intents: Set<string>): Promise<Stripe.Charge[]> {
    try {
      return await all(sdk.charges.list({ customer, limit: 100 }))
    } catch (error) {
      if (!isMissing(error)) throw error
      const lists = [...intents].map((payment_intent) => all(sdk.charges.list({ payment_intent })))
      return (await Promise.all(lists)).flat()
    }
  }

  return {
    /** Every payment received for a subscription, newest first: a customer may have others. */
    async list(subscription: string, customer: string): Promise<Payment[]> {
      const intents = await intentsOf(subscription)
      const charges = await chargesOf(customer, intents)
      const arrived = charges.filter(
        ({ status, payment_intent: intent }) => status === 'succeeded' && intents.has(idOf(intent) ?? ''),
      )
      return Promise.all(
        arrived
          .toSorted((a, b) => b.created - a.created)
          .map(async (charge) => ({
            paymentIntentId: idOf(charge.payment_intent) ?? '',
            paidAt: date(charge.created),
            amount: charge.amount,
            refunded: charge.amount_refunded,
            ...(await disputeOf(charge)),
            cardCountry: charge.payment_method_details?.card?.country ?? null,
          })),
      )
    },

    /**
     * Refunds what `decide` returns after seeing the payment. Two requests at the same moment become one refund, in any
     * process: the key counts the refunds before it (failed ones too, so each attempt gets a new key), and they are
     * counted before reading how much went back. So a later request has either seen the refund or shares its key.
     * With a purpose, it happens once, even if the caller forgot that it did.
     */
    async refund(paymentIntentId: string, decide: () => Promise<number>, purpose?: string) {
      const earlier = await refundsOf(paymentIntentId)
      const before = earlier.length
      const isDone = earlier.some(
        ({ metadata, status }) => metadata?.purpose === purpose && status !== 'failed',
      )
      if (purpose && isDone) return
      const amount = await decide()
      if (amount === 0) return
      try {
        const refund = await change(
          `refund-${paymentIntentId}-${before}`,
          (options) =>
            sdk.refunds.create(
              { payment_intent: paymentIntentId, amount, ...(purpose ? { metadata: { purpose } } : {}) },
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
        // Read by the seller: Stripe's own words explain it best.
        throw error instanceof StripeSdk.errors.StripeInvalidRequestError
          ? conflict('refund-refused', error.message)
          : error
      }
    },

    /** Whether the money has arrived or is on its way, whatever the invoice says so far. */
    async hasPaid(paymentIntentId: string): Promise<boolean> {
      const { status } = await ask(sdk.paymentIntents.retrieve(paymentIntentId))
      return status === 'succeeded' || status === 'processing'
    },

    /** The subscription whose invoice a payment was for. */
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
