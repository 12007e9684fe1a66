import type { Stripe } from 'stripe'
import { type Client, date } from './client.ts'

export type Disputed = {
  /** `lost`: the cardholder has the money, even while the seller appeals. */
  dispute: 'none' | 'open' | 'won' | 'lost'
  /** Amount of open disputes. */
  disputedAmount: number
  /** Deadline for evidence; null if there is nothing to answer. */
  disputeDueAt: Date | null
  /** Time of the first dispute. */
  disputedAt: Date | null
  /** Disputed, now or before, so it cannot be refunded. An inquiry does not count: a refund closes it. */
  isRefundBlocked: boolean
  /** Amount lost in disputes, and when the bank withdrew it. */
  lost: { amount: number; at: Date } | null
}

/** `prevented`: refunded before it became a dispute. An appeal follows a loss. */
const lostDisputes = new Set<string>(['lost', 'prevented', 'appeal_needs_response', 'appeal_under_review'])
const wonDisputes = new Set<string>(['won', 'warning_closed'])
const unanswered = new Set<string>(['needs_response', 'warning_needs_response', 'appeal_needs_response'])

const undisputed = { dispute: 'none', disputedAmount: 0, disputeDueAt: null, disputedAt: null, lost: null } as const

/** Outcome of a charge's disputes, by their status rather than by moved money. */
export const disputeReader = ({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) =>
  async function disputeOf({ id, disputed }: Stripe.Charge): Promise<Disputed> {
    if (!disputed) return { ...undisputed, isRefundBlocked: false }
    const { data } = await ask(sdk.disputes.list({ charge: id, limit: 100 }))
    const lost = data.filter(({ status }) => lostDisputes.has(status))
    // An unknown status counts as open, so that the seller looks at it.
    const open = data.filter(({ status }) => !lostDisputes.has(status) && !wonDisputes.has(status))
    const dueBy = data
      .filter(({ status }) => unanswered.has(status))
      .flatMap(({ evidence_details: { due_by } }) => due_by || [])
    return {
      dispute: lost.length > 0 ? 'lost' : open.length > 0 ? 'open' : 'won',
      disputedAmount: open.reduce((sum, { amount }) => sum + amount, 0),
      disputeDueAt: dueBy.length > 0 ? date(Math.min(...dueBy)) : null,
      disputedAt: data.length > 0 ? date(Math.min(...data.map(({ created }) => created))) : null,
      isRefundBlocked: lost.length > 0 || open.some(({ is_charge_refundable: isRefundable }) => !isRefundable),
      lost: lost.length > 0 ? lossOf(lost) : null,
    }
  }

/** In the charge's currency. Balance transactions are in the one that the account settles in. */
function lossOf(lost: Stripe.Dispute[]): Disputed['lost'] {
  const taken = lost.flatMap(({ balance_transactions: moved }) => moved.filter(({ amount }) => amount < 0))
  return {
    amount: lost.reduce((sum, { amount }) => sum + amount, 0),
    at: date(Math.min(...[...taken, ...lost].map(({ created }) => created))),
  }
}
