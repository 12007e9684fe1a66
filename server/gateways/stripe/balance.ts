import type { Stripe } from 'stripe'
import { type Client, date, idOf } from './client.ts'

/** In the currency that the account settles in. */
export type BalanceTransaction = {
  id: string
  /** Stripe's `reporting_category`: charge, refund, dispute, fee, payout and others. */
  category: string
  description: string | null
  createdAt: Date
  availableAt: Date
  amount: number
  fee: number
  net: number
  currency: string
  /** Exchange rate from the currency of the charge; null if it is the same. */
  exchangeRate: number | null
  paymentIntentId: string | null
  refundId: string | null
}

export type Payout = {
  id: string
  amount: number
  currency: string
  /** Stripe's: paid, pending, in_transit, canceled or failed. */
  status: string
  /** Stripe lists the balance transactions of automatic payouts only. */
  isAutomatic: boolean
  isReconciled: boolean
  createdAt: Date
  arrivesAt: Date
  failure: string | null
}

function paymentOf(source: Stripe.BalanceTransactionSource | null): string | null {
  if (source?.object === 'charge' || source?.object === 'refund' || source?.object === 'dispute')
    return idOf(source.payment_intent)
  return null
}

function recordOf({ source, ...line }: Stripe.BalanceTransaction): BalanceTransaction {
  const expanded = typeof source === 'string' ? null : source
  return {
    id: line.id,
    category: line.reporting_category,
    description: line.description,
    createdAt: date(line.created),
    availableAt: date(line.available_on),
    amount: line.amount,
    fee: line.fee,
    net: line.net,
    currency: line.currency,
    exchangeRate: line.exchange_rate,
    paymentIntentId: paymentOf(expanded),
    refundId: expanded?.object === 'refund' ? expanded.id : null,
  }
}

export function balanceCalls({ sdk, all }: Pick<Client, 'sdk' | 'all'>) {
  const page = { limit: 100 }
  const secondsOf = (since: Date) => Math.floor(since.getTime() / 1000)
  const expand = ['data.source']

  return {
    async transactionsSince(since: Date): Promise<BalanceTransaction[]> {
      const created = { gte: secondsOf(since) }
      return (await all(sdk.balanceTransactions.list({ ...page, created, expand }))).map(recordOf)
    },

    async transactionsOf(payout: string): Promise<BalanceTransaction[]> {
      return (await all(sdk.balanceTransactions.list({ ...page, payout, expand }))).map(recordOf)
    },

    async payoutsSince(since: Date): Promise<Payout[]> {
      const payouts = await all(sdk.payouts.list({ ...page, created: { gte: secondsOf(since) } }))
      return payouts.map((payout) => ({
        id: payout.id,
        amount: payout.amount,
        currency: payout.currency,
        status: payout.status,
        isAutomatic: payout.automatic,
        isReconciled: payout.reconciliation_status === 'completed',
        createdAt: date(payout.created),
        arrivesAt: date(payout.arrival_date),
        failure: payout.failure_message,
      }))
    },
  }
}
