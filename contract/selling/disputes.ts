import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, id, instant, optionalText } from '../fields.ts'

/** Keys are Stripe's field names. */
export const evidenceTexts = {
  product_description: { label: 'What was sold', maxLength: 2000 },
  customer_name: { label: 'Customer’s name', maxLength: 200 },
  customer_email_address: { label: 'Customer’s email', maxLength: 254 },
  customer_purchase_ip: { label: 'IP address of the order', maxLength: 45 },
  billing_address: { label: 'Billing address', maxLength: 500 },
  service_date: { label: 'When access began', maxLength: 100 },
  access_activity_log: { label: 'Access given and used', maxLength: 20_000 },
  cancellation_policy_disclosure: { label: 'How they learned how to cancel', maxLength: 2000 },
  cancellation_rebuttal: { label: 'Why it had not been cancelled', maxLength: 2000 },
  refund_policy_disclosure: { label: 'How they learned about refunds', maxLength: 2000 },
  refund_refusal_explanation: { label: 'Why they are not due a refund', maxLength: 2000 },
  duplicate_charge_explanation: { label: 'Why it was not charged twice', maxLength: 2000 },
  uncategorized_text: { label: 'Your own words', maxLength: 10_000 },
} as const
export type EvidenceText = keyof typeof evidenceTexts

/** Keys are Stripe's field names. The shop creates these files as PDF. */
export const evidenceFiles = {
  receipt: 'Receipt',
  service_documentation: 'Order and access',
  customer_communication: 'Messages and emails',
  cancellation_policy: 'Terms that they accepted',
  refund_policy: 'Terms that they accepted',
  duplicate_charge_documentation: 'Their other payments',
} as const
export type EvidenceFile = keyof typeof evidenceFiles

type EvidenceName = EvidenceText | EvidenceFile

const commonEvidence: EvidenceName[] = [
  'product_description',
  'customer_name',
  'customer_email_address',
  'receipt',
  'customer_communication',
  'uncategorized_text',
]
const usageEvidence: EvidenceName[] = ['service_date', 'access_activity_log', 'service_documentation']
const refundEvidence: EvidenceName[] = ['refund_policy_disclosure', 'refund_refusal_explanation', 'refund_policy']
const buyerEvidence: EvidenceName[] = ['customer_purchase_ip', 'billing_address', ...usageEvidence]
const cancellationEvidence: EvidenceName[] = [
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'cancellation_policy',
  ...usageEvidence,
]

const generalEvidence: EvidenceName[] = [...buyerEvidence, ...refundEvidence]

/** Additional evidence that Stripe recommends for each dispute reason (docs.stripe.com/disputes/categories). */
const evidenceByReason: Record<string, EvidenceName[]> = {
  fraudulent: buyerEvidence,
  unrecognized: buyerEvidence,
  product_not_received: usageEvidence,
  product_unacceptable: [...usageEvidence, ...refundEvidence],
  subscription_canceled: cancellationEvidence,
  credit_not_processed: refundEvidence,
  duplicate: ['duplicate_charge_explanation', 'duplicate_charge_documentation', 'service_documentation'],
}

function evidenceFor(reason: string) {
  const evidenceOfReason = evidenceByReason[reason] ?? generalEvidence
  return new Set<string>([...commonEvidence, ...evidenceOfReason])
}

export function textsFor(reason: string) {
  const evidence = evidenceFor(reason)
  return (Object.keys(evidenceTexts) as EvidenceText[]).filter((name) => evidence.has(name))
}
export function filesFor(reason: string) {
  const evidence = evidenceFor(reason)
  return (Object.keys(evidenceFiles) as EvidenceFile[]).filter((name) => evidence.has(name))
}

export const disputeReasons: Record<string, string> = {
  fraudulent: 'The cardholder says that they didn’t make this payment.',
  unrecognized: 'The cardholder doesn’t recognize this payment.',
  product_not_received: 'The cardholder says that they didn’t get what they paid for.',
  product_unacceptable: 'The cardholder says that it isn’t what was promised.',
  subscription_canceled: 'The cardholder says that they had cancelled.',
  credit_not_processed: 'The cardholder says that a refund they were promised never came.',
  duplicate: 'The cardholder says that they were charged twice.',
}

/** Statuses in which Stripe accepts an answer by API. An appeal after a loss is possible only in Stripe's dashboard. */
const answerableStatuses = new Set(['needs_response', 'warning_needs_response'])
export const isAnswerable = (status: string) => answerableStatuses.has(status)
export const decidedDisputes = ['won', 'lost', 'prevented', 'warning_closed']
export const isDecided = (status: string) => decidedDisputes.includes(status)

const disputeId = z.string().check(z.regex(/^(du|dp)_[A-Za-z0-9_]{1,200}$/, 'This link is not valid'))

const texts = z.strictObject(
  Object.fromEntries(
    Object.entries(evidenceTexts).map(([name, { maxLength }]) => [name, optionalText(maxLength)]),
  ) as Record<EvidenceText, ReturnType<typeof optionalText>>,
)
const files = z.array(z.enum(Object.keys(evidenceFiles) as [EvidenceFile, ...EvidenceFile[]])).check(z.maxLength(10))
const answer = z.strictObject({ id: disputeId, texts, files })

const disputeOutput = z.object({
  id: z.string(),
  /** Stripe's `reason` and `status`. */
  reason: z.string(),
  status: z.string(),
  amount: cents,
  openedAt: instant,
  /** Deadline for the answer; null if none is expected. */
  dueAt: z.nullable(instant),
  submittedAt: z.nullable(instant),
  savedAt: z.nullable(instant),
  /** Stripe's reason for refusing the answer, such as a missing permission. */
  fault: z.nullable(z.string()),
  customer: z.nullable(z.object({ id, name: z.string(), email: z.string() })),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  texts: z.array(
    z.object({ name: z.enum(Object.keys(evidenceTexts) as [EvidenceText, ...EvidenceText[]]), value: z.string() }),
  ),
  files: z.array(
    z.object({
      name: z.enum(Object.keys(evidenceFiles) as [EvidenceFile, ...EvidenceFile[]]),
      content: z.string(),
      isIncluded: z.boolean(),
    }),
  ),
})
export type AdminDispute = z.infer<typeof disputeOutput>

/** Only `adminSubmit` calls Stripe. Until then, the answer is a draft in the shop. */
export const disputes = {
  adminShow: endpoint('GET /api/admin/disputes/:id', {
    access: 'money.refund',
    summary: 'A dispute, what the shop has kept about its payment, and the answer so far',
    input: z.strictObject({ id: disputeId }),
    output: disputeOutput,
  }),
  adminSave: endpoint('POST /api/admin/disputes/:id', {
    access: 'money.refund',
    fresh: false,
    summary: 'Save the answer to a dispute in the shop; nothing is sent',
    input: answer,
  }),
  adminSubmit: endpoint('POST /api/admin/disputes/:id/submit', {
    access: 'money.refund',
    summary: 'Send the answer and its files to the bank, through Stripe; it can’t be changed afterward',
    input: answer,
  }),
}
