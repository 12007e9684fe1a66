import type { Stripe } from 'stripe'
import { isAnswerable } from '#contract/selling/disputes.ts'
import { Refusal } from '../../errors.ts'
import { sumOf } from './amounts.ts'
import { type Client, date, isRefused } from './client.ts'

export type DisputeRecord = {
  id: string
  /** Stripe's value, such as `fraudulent`. */
  reason: string
  /** Stripe's value, such as `needs_response`. */
  status: string
  amount: number
  openedAt: Date
  /** Deadline for evidence; null once there is nothing to answer. */
  dueAt: Date | null
}

export type DisputeSummary = {
  /** `lost`: the cardholder has the money, even while the seller appeals. */
  dispute: 'none' | 'open' | 'won' | 'lost'
  disputedAmount: number
  disputeDueAt: Date | null
  disputedAt: Date | null
  /** True if a dispute prevents refunds. An inquiry does not: a refund closes it. */
  isRefundBlocked: boolean
  /** `at` is when the bank withdrew the amount. */
  lost: { amount: number; at: Date } | null
  disputes: DisputeRecord[]
}

/** `prevented`: refunded before it became a dispute. An appeal follows a loss. */
const lostDisputes = new Set<string>(['lost', 'prevented', 'appeal_needs_response', 'appeal_under_review'])
const wonDisputes = new Set<string>(['won', 'warning_closed'])
const needsResponse = new Set<string>(['needs_response', 'warning_needs_response', 'appeal_needs_response'])

const undisputed = { dispute: 'none' as const, disputedAmount: 0, disputeDueAt: null, disputedAt: null, lost: null }

/** Decides by the disputes' status rather than by moved money. */
export const disputeReader = ({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>) =>
  async function disputeOf({ id, disputed }: Stripe.Charge): Promise<DisputeSummary> {
    if (!disputed) return { ...undisputed, isRefundBlocked: false, disputes: [] }
    const { data } = await ask(sdk.disputes.list({ charge: id, limit: 100 }))
    const lost = data.filter(({ status }) => lostDisputes.has(status))
    // An unknown status counts as open, so that the seller looks at it.
    const open = data.filter(({ status }) => !lostDisputes.has(status) && !wonDisputes.has(status))
    const deadlines: number[] = []
    for (const { status, evidence_details: evidence } of data)
      if (needsResponse.has(status) && evidence.due_by) deadlines.push(evidence.due_by)
    const outcomeUnlessLost = open.length > 0 ? 'open' : 'won'
    return {
      dispute: lost.length > 0 ? 'lost' : outcomeUnlessLost,
      disputedAmount: sumOf(open),
      disputeDueAt: deadlines.length > 0 ? date(Math.min(...deadlines)) : null,
      disputedAt: data.length > 0 ? date(Math.min(...data.map(({ created }) => created))) : null,
      isRefundBlocked: lost.length > 0 || open.some(({ is_charge_refundable: isRefundable }) => !isRefundable),
      lost: lost.length > 0 ? lossOf(lost) : null,
      disputes: data.map(recordOf),
    }
  }

const recordOf = ({ id, reason, status, amount, created, evidence_details: { due_by } }: Stripe.Dispute) => ({
  id,
  reason,
  status,
  amount,
  openedAt: date(created),
  dueAt: needsResponse.has(status) && due_by ? date(due_by) : null,
})

type EvidenceInput = Stripe.DisputeUpdateParams.Evidence

export function disputeCalls({ sdk, ask, change }: Client) {
  return {
    /** The bank sees only files that evidence refers to. */
    async uploadEvidence(name: string, data: Buffer): Promise<string> {
      const file = { data, name, type: 'application/pdf' }
      return (await ask(sdk.files.create({ purpose: 'dispute_evidence', file }))).id
    },

    /** Throws 409 with Stripe's message if Stripe refuses the evidence, for example after the deadline. */
    async submitEvidence(id: string, evidence: EvidenceInput) {
      const isDone = async () => !isAnswerable((await ask(sdk.disputes.retrieve(id))).status)
      // `isRefused` makes `change` rethrow a refusal as Stripe's own error.
      await change(
        `dispute-${id}`,
        (options) => sdk.disputes.update(id, { evidence, submit: true }, options),
        isDone,
        isRefused,
      ).catch((error: unknown) => {
        if (!isRefused(error)) throw error
        throw new Refusal(409, 'answer-refused', `Stripe didn’t accept the answer: ${(error as Error).message}`)
      })
    },
  }
}

/** In the charge's currency; balance transactions are in the currency that the account settles in. */
function lossOf(lost: Stripe.Dispute[]): DisputeSummary['lost'] {
  return { amount: sumOf(lost), at: date(Math.min(...lost.map(withdrawnAt))) }
}

/** Unix time. An inquiry that becomes a dispute is older than the withdrawal. */
function withdrawnAt({ balance_transactions: transactions, created }: Stripe.Dispute): number {
  const withdrawals = transactions.filter(({ amount }) => amount < 0)
  return withdrawals.length > 0 ? Math.min(...withdrawals.map((withdrawal) => withdrawal.created)) : created
}
