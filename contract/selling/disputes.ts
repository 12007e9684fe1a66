import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, id, instant, optionalText } from '../fields.ts'

/** Evidence that Stripe takes as text, by its own names. */
export const evidenceTexts = {
  product_description: { label: 'What was sold', longest: 2000 },
  customer_name: { label: 'Customer’s name', longest: 200 },
  customer_email_address: { label: 'Customer’s email', longest: 254 },
  customer_purchase_ip: { label: 'IP address of the order', longest: 45 },
  billing_address: { label: 'Billing address', longest: 500 },
  service_date: { label: 'When access began', longest: 100 },
  access_activity_log: { label: 'Access given and used', longest: 20_000 },
  cancellation_policy_disclosure: { label: 'How they learned how to cancel', longest: 2000 },
  cancellation_rebuttal: { label: 'Why it had not been cancelled', longest: 2000 },
  refund_policy_disclosure: { label: 'How they learned about refunds', longest: 2000 },
  refund_refusal_explanation: { label: 'Why they are not due a refund', longest: 2000 },
  duplicate_charge_explanation: { label: 'Why it was not charged twice', longest: 2000 },
  uncategorized_text: { label: 'Your own words', longest: 10_000 },
} as const
export type EvidenceText = keyof typeof evidenceTexts

/** Evidence that Stripe takes as files, by its own names. The shop writes them as PDF. */
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

const always: EvidenceName[] = ['product_description', 'customer_name', 'customer_email_address', 'receipt']
const ofUse: EvidenceName[] = ['service_date', 'access_activity_log', 'service_documentation']
const ofRefunds: EvidenceName[] = ['refund_policy_disclosure', 'refund_refusal_explanation', 'refund_policy']
const ofBuyer: EvidenceName[] = ['customer_purchase_ip', 'billing_address', ...ofUse]
const ofCancellation: EvidenceName[] = [
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'cancellation_policy',
  ...ofUse,
]

/** Evidence that helps by Stripe's guidance for each reason (docs.stripe.com/disputes/categories), beside what always does. */
const byReason: Record<string, EvidenceName[]> = {
  fraudulent: ofBuyer,
  unrecognized: ofBuyer,
  product_not_received: ofUse,
  product_unacceptable: [...ofUse, ...ofRefunds],
  subscription_canceled: ofCancellation,
  credit_not_processed: ofRefunds,
  duplicate: ['duplicate_charge_explanation', 'duplicate_charge_documentation', 'service_documentation'],
  general: [...ofBuyer, ...ofRefunds],
}

const isHelpful = (reason: string) => {
  const names = new Set<string>([
    ...always,
    ...(byReason[reason] ?? byReason['general'] ?? []),
    'customer_communication',
    'uncategorized_text',
  ])
  return (name: string) => names.has(name)
}

/** In the order of the screen. An unknown reason gets the same as a general one. */
export const textsFor = (reason: string) => (Object.keys(evidenceTexts) as EvidenceText[]).filter(isHelpful(reason))
export const filesFor = (reason: string) => (Object.keys(evidenceFiles) as EvidenceFile[]).filter(isHelpful(reason))

export const disputeReasons: Record<string, string> = {
  fraudulent: 'The cardholder says that they didn’t make this payment.',
  unrecognized: 'The cardholder doesn’t recognize this payment.',
  product_not_received: 'The cardholder says that they didn’t get what they paid for.',
  product_unacceptable: 'The cardholder says that it isn’t what was promised.',
  subscription_canceled: 'The cardholder says that they had cancelled.',
  credit_not_processed: 'The cardholder says that a refund they were promised never came.',
  duplicate: 'The cardholder says that they were charged twice.',
}

/** Stripe calls these unanswered. An appeal after a loss is answered in its dashboard. */
const answerable = new Set(['needs_response', 'warning_needs_response'])
export const isAnswerable = (status: string) => answerable.has(status)
export const decidedDisputes = ['won', 'lost', 'prevented', 'warning_closed']
export const isDecided = (status: string) => decidedDisputes.includes(status)

const disputeId = z.string().check(z.regex(/^(du|dp)_[A-Za-z0-9_]{1,200}$/, 'This link is not valid'))

const texts = z.strictObject(
  Object.fromEntries(
    Object.entries(evidenceTexts).map(([name, { longest }]) => [name, optionalText(longest)]),
  ) as Record<EvidenceText, ReturnType<typeof optionalText>>,
)
const files = z.array(z.enum(Object.keys(evidenceFiles) as [EvidenceFile, ...EvidenceFile[]])).check(z.maxLength(10))
const answer = z.strictObject({ id: disputeId, texts, files })

const disputeOutput = z.object({
  id: z.string(),
  /** Stripe's words for both. */
  reason: z.string(),
  status: z.string(),
  amount: cents,
  openedAt: instant,
  /** Until when it can be answered; null once there is nothing to answer. */
  dueAt: z.nullable(instant),
  submittedAt: z.nullable(instant),
  savedAt: z.nullable(instant),
  /** Why Stripe refused the answer, such as a missing permission. */
  fault: z.nullable(z.string()),
  customer: z.nullable(z.object({ id, name: z.string(), email: z.string() })),
  /** Facts that the shop has kept about the order, shown beside the answer. */
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  texts: z.array(
    z.object({ name: z.enum(Object.keys(evidenceTexts) as [EvidenceText, ...EvidenceText[]]), value: z.string() }),
  ),
  files: z.array(
    z.object({
      name: z.enum(Object.keys(evidenceFiles) as [EvidenceFile, ...EvidenceFile[]]),
      /** Text of the PDF. */
      content: z.string(),
      isIncluded: z.boolean(),
    }),
  ),
})
export type AdminDispute = z.infer<typeof disputeOutput>

/** Stripe is asked only by `adminSubmit`. Until then, the answer is a draft in the shop. */
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
