import { day } from '../basics.ts'
import { blank } from './blank.ts'

export type SettlementCurrency = 'usd' | 'chf'

/** Exchange rates of an account that settles in Swiss francs: outgoing, then incoming dollars. */
const francs = { out: 0.8051, in: 0.8027 }

/** Stripe's list prices in the United States: 2.9 % and 30 cents for a card payment, $15 for a dispute. */
const fees = { share: 0.029, fixed: 30, dispute: 1500 }

/** Money becomes available two days after a payment, and is paid out the next midnight. */
const availableAfter = 2 * day
export const midnightAfter = (time: number) => (Math.floor(time / day) + 1) * day

export type BalanceChange = 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal' | 'payout'

const types: Record<BalanceChange, string> = {
  charge: 'charge',
  refund: 'refund',
  refund_failure: 'refund_failure',
  dispute: 'adjustment',
  dispute_reversal: 'adjustment',
  payout: 'payout',
}

type Moved = {
  now: number
  change: BalanceChange
  /** In the currency of the charge; negative for what leaves. */
  cents: number
  source: { id: string; currency: string }
  settlesIn: SettlementCurrency
}

function feeOf(change: BalanceChange, cents: number): number {
  if (change === 'charge') return Math.round(cents * fees.share) + fees.fixed
  return change === 'dispute' ? fees.dispute : 0
}

/** Line of the account's balance, in the currency that the account settles in. */
export function newBalanceTransaction({ now, change, cents, source, settlesIn }: Moved) {
  const isConverted = settlesIn !== source.currency
  const rate = cents < 0 ? francs.out : francs.in
  const converted = (amount: number) => (isConverted ? Math.round(amount * rate) : amount)
  const [amount, fee] = [converted(cents), converted(feeOf(change, cents))]
  return {
    ...blank('balance_transaction', 'txn'),
    amount,
    available_on: change === 'charge' ? now + availableAfter : now,
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
    type: types[change],
    /** Payout that includes the transaction. */
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
