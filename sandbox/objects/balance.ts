import { day } from '../basics.ts'
import { blank } from './blank.ts'

export type SettlementCurrency = 'usd' | 'chf'

/** Francs per dollar for an account that settles in Swiss francs; outgoing money is converted at a worse rate. */
const francsPerDollar = { outgoing: 0.8051, incoming: 0.8027 }

/** Stripe's list prices in the United States: 2.9 % and 30 cents for a card payment, $15 for a dispute. */
const fees = { share: 0.029, fixedCents: 30, disputeCents: 1500 }

/** A payment becomes available after two days, and is paid out the next midnight. */
const availabilityDelaySeconds = 2 * day

/** In UTC. */
export const midnightAfter = (time: number) => (Math.floor(time / day) + 1) * day

export type BalanceChange = 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal' | 'payout'

const transactionTypes: Record<BalanceChange, string> = {
  charge: 'charge',
  refund: 'refund',
  refund_failure: 'refund_failure',
  dispute: 'adjustment',
  dispute_reversal: 'adjustment',
  payout: 'payout',
}

type BalanceTransactionInput = {
  now: number
  change: BalanceChange
  /** In the currency of the charge; negative for money that leaves. */
  cents: number
  source: { id: string; currency: string }
  settlesIn: SettlementCurrency
}

function feeOf(change: BalanceChange, cents: number): number {
  if (change === 'charge') return Math.round(cents * fees.share) + fees.fixedCents
  return change === 'dispute' ? fees.disputeCents : 0
}

export function newBalanceTransaction({ now, change, cents, source, settlesIn }: BalanceTransactionInput) {
  const isConverted = settlesIn !== source.currency
  const rate = cents < 0 ? francsPerDollar.outgoing : francsPerDollar.incoming
  const convert = (amount: number) => (isConverted ? Math.round(amount * rate) : amount)
  const amount = convert(cents)
  const fee = convert(feeOf(change, cents))
  return {
    ...blank('balance_transaction', 'txn'),
    amount,
    available_on: change === 'charge' ? now + availabilityDelaySeconds : now,
    created: now,
    currency: settlesIn,
    exchange_rate: isConverted ? rate : null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [{ amount: fee, application: null, currency: settlesIn, description: 'Stripe fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: change,
    source: source.id,
    type: transactionTypes[change],
    $sandbox: { payout: null as string | null, due_at: null as number | null },
  }
}

export type BalanceTransaction = ReturnType<typeof newBalanceTransaction>

export const newPayout = (now: number, amount: number, currency: SettlementCurrency) => ({
  ...blank('payout', 'po'),
  amount,
  arrival_date: now,
  balance_transaction: null as string | null,
  created: now,
  currency,
})

export type Payout = ReturnType<typeof newPayout>
