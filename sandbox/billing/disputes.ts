import { day } from '../basics.ts'
import { Failure, invalid } from '../failure.ts'
import {
  type Charge,
  type Dispute,
  type DisputeStatus,
  evidenceFiles,
  newDispute,
  newRefund,
  type Refund,
} from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { moveBalance } from './balance.ts'

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`

/** `requestedAmount` is in cents; by default, the rest is refunded. Some test cards delay the refund by a day, or let it fail then. */
export async function refund(
  work: Work,
  charge: Charge,
  requestedAmount: number | undefined,
  reason: Refund['reason'] = null,
  metadata: Refund['metadata'] = {},
) {
  const refundable = charge.amount_captured - charge.amount_refunded
  const amount = requestedAmount ?? refundable
  if (refundable <= 0) {
    throw invalid(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded')
  }
  if (amount < 1 || amount > refundable) {
    throw invalid(
      `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(refundable)})`,
      'amount',
    )
  }
  const disputes = await work.all('dispute', { charge: charge.id })
  if (disputes.some((dispute) => dispute.status !== 'won' && !dispute.is_charge_refundable)) {
    throw invalid(`Charge ${charge.id} has been charged back; cannot issue a refund.`, undefined, 'charge_disputed')
  }
  const method = await work.find('payment_method', charge.payment_method)
  const behaviour = method?.$sandbox.behaviour
  const delayedOutcome = behaviour?.outcome === 'succeeds' ? behaviour.refund : undefined
  const draft = newRefund(work.now, charge, amount, reason)
  const { id: balance_transaction } = await moveBalance(work, 'refund', draft, -amount)
  const refunded = await work.insert({
    ...draft,
    balance_transaction,
    metadata,
    status: delayedOutcome === 'waits' ? ('pending' as const) : ('succeeded' as const),
    $sandbox: { settles_at: delayedOutcome ? work.now + day : null },
  })
  const isFullRefund = amount === refundable
  const refundedCharge = await work.save({
    ...charge,
    amount_refunded: charge.amount_refunded + amount,
    refunded: isFullRefund,
  })
  work.emit('refund.created', refunded)
  work.emit('charge.refunded', refundedCharge, charge)
  // A full refund closes an inquiry.
  const inquiries = disputes.filter(({ status }) => status === 'warning_needs_response')
  if (isFullRefund) for (const inquiry of inquiries) await moveDispute(work, inquiry, 'warning_closed')
  if (!delayedOutcome) work.emit('refund.updated', refunded)
  return refunded
}

/** A pending refund succeeds, and one that had succeeded fails. */
export async function runDueRefund(work: Work, refunded: Refund) {
  if (refunded.status === 'succeeded') return failRefund(work, refunded)
  const succeeded = { ...refunded, status: 'succeeded' as const, $sandbox: { settles_at: null } }
  await work.update(refunded, succeeded)
}

export async function failRefund(work: Work, refunded: Refund): Promise<Refund> {
  if (refunded.status === 'failed') throw invalid('This refund has already failed.')
  const charge = await work.get('charge', refunded.charge)
  const { id: failure_balance_transaction } = await moveBalance(work, 'refund_failure', refunded, refunded.amount)
  const failed = await work.save({
    ...refunded,
    failure_balance_transaction,
    status: 'failed' as const,
    failure_reason: 'lost_or_stolen_card',
    $sandbox: { settles_at: null },
  })
  const updatedCharge = await work.save({
    ...charge,
    amount_refunded: charge.amount_refunded - refunded.amount,
    refunded: false,
  })
  work.emit('charge.updated', updatedCharge, charge)
  work.emit('refund.updated', failed, refunded)
  work.emit('refund.failed', failed)
  return failed
}

/** An inquiry moves no money. A `prevented` dispute closes immediately (Visa's Rapid Dispute Resolution). */
export async function openDispute(
  work: Work,
  charge: Charge,
  status: 'needs_response' | 'warning_needs_response' | 'prevented' = 'needs_response',
  reason?: Parameters<typeof newDispute>[4],
): Promise<Dispute> {
  if (!charge.paid || charge.disputed || charge.refunded) {
    throw new Failure(400, {
      type: 'invalid_request_error',
      message: 'Only a paid charge that is neither refunded nor disputed can be disputed.',
    })
  }
  const isInquiry = status === 'warning_needs_response'
  const disputedAmount = charge.amount - charge.amount_refunded
  const withdrawals = isInquiry ? [] : [await moveBalance(work, 'dispute', charge, -disputedAmount)]
  const dispute = await work.insert(newDispute(work.now, charge, status, withdrawals, reason))
  await work.save({ ...charge, disputed: true })
  work.emit('charge.dispute.created', dispute)
  if (!isInquiry) work.emit('charge.dispute.funds_withdrawn', dispute)
  if (status === 'prevented') work.emit('charge.dispute.closed', dispute)
  return dispute
}

const nextStatuses: Record<DisputeStatus, DisputeStatus[]> = {
  warning_needs_response: ['warning_closed', 'needs_response', 'warning_under_review'],
  warning_under_review: ['warning_closed', 'needs_response'],
  warning_closed: [],
  needs_response: ['under_review', 'won', 'lost', 'prevented'],
  under_review: ['won', 'lost'],
  lost: ['appeal_needs_response'],
  appeal_needs_response: ['appeal_under_review', 'won', 'lost'],
  appeal_under_review: ['won', 'lost'],
  won: [],
  prevented: [],
}

type Evidence = Record<string, string | undefined>

const maxEvidenceLength = 20_000

const verdictByEvidence: Record<string, DisputeStatus> = { winning_evidence: 'won', losing_evidence: 'lost' }

/** Decides immediately by `winning_evidence` and `losing_evidence`, like Stripe's test mode. */
export async function answerDispute(work: Work, dispute: Dispute, evidence: Evidence, isSubmitted: boolean) {
  const isInquiry = dispute.status === 'warning_needs_response'
  if (!isInquiry && dispute.status !== 'needs_response') throw invalid('This dispute is already closed')
  if (work.now > dispute.evidence_details.due_by)
    throw invalid('This dispute can no longer be responded to: its evidence was due.')
  for (const [name, value = ''] of Object.entries(evidence)) {
    if (value.length > maxEvidenceLength)
      throw invalid(`Evidence is limited to ${maxEvidenceLength} characters.`, `evidence[${name}]`)
    if (evidenceFiles.includes(name)) await work.get('file', value, `evidence[${name}]`)
  }
  const { evidence_details: details } = dispute
  const presence = Object.keys(evidence).length > 0 ? { has_evidence: true } : {}
  const submission = isSubmitted ? { submission_count: details.submission_count + 1, submission_method: 'manual' } : {}
  const staged: Dispute = {
    ...dispute,
    evidence: { ...dispute.evidence, ...evidence },
    evidence_details: { ...details, ...presence, ...submission },
  }
  if (!isSubmitted) return work.update(dispute, staged)
  const verdict = verdictByEvidence[evidence['uncategorized_text'] ?? '']
  const underReview = isInquiry ? 'warning_under_review' : 'under_review'
  return moveDispute(work, staged, verdict ?? underReview)
}

export async function moveDispute(work: Work, dispute: Dispute, status: DisputeStatus): Promise<Dispute> {
  if (!nextStatuses[dispute.status].includes(status)) throw invalid('This dispute is already closed.')
  // The bank takes the money once an inquiry becomes a dispute.
  const isEscalation = dispute.status.startsWith('warning_') && status === 'needs_response'
  const isWon = status === 'won'
  const balance_transactions = [...dispute.balance_transactions]
  if (isEscalation) {
    const charge = await work.get('charge', dispute.charge)
    balance_transactions.push(await moveBalance(work, 'dispute', charge, -dispute.amount))
  }
  if (isWon) balance_transactions.push(await moveBalance(work, 'dispute_reversal', dispute, dispute.amount))
  const moved = await work.save({ ...dispute, status, balance_transactions, is_charge_refundable: false })
  if (isEscalation) work.emit('charge.dispute.funds_withdrawn', moved, dispute)
  if (isWon) work.emit('charge.dispute.funds_reinstated', moved, dispute)
  const isClosed = isWon || status === 'lost' || status === 'prevented' || status === 'warning_closed'
  work.emit(isClosed ? 'charge.dispute.closed' : 'charge.dispute.updated', moved, dispute)
  return moved
}
