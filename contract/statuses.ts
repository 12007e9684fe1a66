/** Names of all statuses. Types, schemas, SQL and texts derive from these lists; `npm run check` rejects duplicates. */
export { type BillingType, billingTypes } from './plans.ts'

/** `past_due`: a renewal failed; the buyer keeps access during the grace period. `paused`: no charges and no access. */
export const purchaseStatuses = ['active', 'pending_cancel', 'past_due', 'paused', 'cancelled', 'expired'] as const
export type PurchaseStatus = (typeof purchaseStatuses)[number]

/** Statuses that give access. */
export const liveStatuses = ['active', 'pending_cancel', 'past_due'] as const satisfies PurchaseStatus[]
export const isLive = (status: PurchaseStatus) => liveStatuses.some((liveStatus) => liveStatus === status)

/** A paused purchase gives no access, but it has not ended. */
export const hasEnded = (status: PurchaseStatus) => !isLive(status) && status !== 'paused'

/** `uncovered_notes`: credit notes without a refund; `stuck_renewals`: invoices that Stripe left as drafts; `untaxed`: automatic tax is off. */
export const purchaseNeeds = [
  'fraud_warnings',
  'disputes',
  'lost_disputes',
  'failed_refunds',
  'uncovered_notes',
  'failed_payments',
  'stuck_renewals',
  'untaxed',
  'missing_at_stripe',
] as const
export type PurchaseNeed = (typeof purchaseNeeds)[number]

export const purchaseRisks = ['failed_payments', 'expiring_cards', 'disputed'] as const
export type PurchaseRisk = (typeof purchaseRisks)[number]

export const orderKinds = ['new', 'switch'] as const
export type OrderKind = (typeof orderKinds)[number]

export const bookableStatuses = ['active', 'cancelled', 'expired'] as const satisfies PurchaseStatus[]
export type BookableStatus = (typeof bookableStatuses)[number]

export const bookingKinds = ['paid_elsewhere', 'gift'] as const
export type BookingKind = (typeof bookingKinds)[number]
export const bookingKindTexts: Record<BookingKind, string> = { paid_elsewhere: 'paid elsewhere', gift: 'gift' }

/** Origin of a purchase: a subscription at Stripe, or booked by hand. */
export const paymentPlaces = ['stripe', 'hand'] as const
export type PaymentPlace = (typeof paymentPlaces)[number]
type Extendable = { status: PurchaseStatus; paidThrough: PaymentPlace; endsAt: unknown }

/** True if the seller can move the next payment, or the end, to a later day. */
export const isExtendable = ({ status, paidThrough, endsAt }: Extendable) =>
  paidThrough === 'stripe' ? status === 'active' : isLive(status) && endsAt !== null

export const statusTexts: Record<PurchaseStatus, string> = {
  active: 'active',
  pending_cancel: 'Cancels at period end',
  past_due: 'past due',
  paused: 'paused',
  cancelled: 'cancelled',
  expired: 'expired',
}

export const statusTones = {
  active: 'good',
  pending_cancel: 'warning',
  past_due: 'bad',
  paused: 'neutral',
  cancelled: 'neutral',
  expired: 'neutral',
} as const satisfies Record<PurchaseStatus, string>

/** `duplicate`: a second subscription; the others: a discount code beyond its limits. The payment is refunded. */
export const refusedPurchaseReasons = ['duplicate', 'code_used_up', 'code_new_only'] as const
/** `gone`: Stripe no longer knew the subscription, and the seller ended it by hand. */
export const endReasons = ['cancelled', 'unpaid', 'refunded', 'disputed', 'gone', ...refusedPurchaseReasons] as const
export type EndReason = (typeof endReasons)[number]

export const codeStates = ['planned', 'running', 'used up', 'over', 'stopped'] as const
export type CodeState = (typeof codeStates)[number]

/** Stripe's names, in the order of the form. */
export const leaveReasons = [
  'too_expensive',
  'unused',
  'missing_features',
  'low_quality',
  'too_complex',
  'customer_service',
  'switched_service',
  'other',
] as const
export type LeaveReason = (typeof leaveReasons)[number]

/** A reactivation follows a time without payment. */
export const gainKinds = ['new', 'reactivation', 'expansion'] as const
export const movementKinds = [...gainKinds, 'contraction', 'churn'] as const
export type MovementKind = (typeof movementKinds)[number]

export const invoiceCauses = ['bought', 'resume', 'plan', 'price', 'quantity', 'discount', 'tax'] as const
/** `pause`: a pause or free time; `expired`: a purchase booked by hand reached its end. */
export const movementCauses = [...invoiceCauses, 'pause', ...endReasons, 'expired', 'deleted'] as const
export type MovementCause = (typeof movementCauses)[number]

/** Legitimate differences from the price at Stripe. `given`: free time; `next_invoice`: a price or discount that starts with the next paid invoice. */
export const explainedDifferences = ['given', 'forgiven', 'not_collected', 'paused', 'next_invoice'] as const
/** Faults: the ledger contradicts the invoices (`books`), or the subscription is missing at Stripe or unknown here. */
export const differenceFaults = ['books', 'missing', 'unknown'] as const
export type ExplainedDifference = (typeof explainedDifferences)[number]
export type DifferenceFault = (typeof differenceFaults)[number]

/** `dispute`: the bank returned the money to the cardholder. */
export const paymentKinds = ['payment', 'refund', 'dispute'] as const
export type PaymentKind = (typeof paymentKinds)[number]

export const paymentAccountKinds = ['sandbox', 'test', 'live'] as const
export type PaymentAccountKind = (typeof paymentAccountKinds)[number]

export const declarationKinds = ['withdrawal', 'cancellation'] as const
export type DeclarationKind = (typeof declarationKinds)[number]

/** `open`: waits for the owner's click or for the seller. `confirmed`: a job carries it out. */
export const declarationStates = ['open', 'confirmed', 'done'] as const
export type DeclarationState = (typeof declarationStates)[number]

/** States of access on TradingView (docs/access.md): `asked` waits for the seller, `unlocking` for the connector. */
export const accessStates = ['none', 'asked', 'unlocking', 'unlocked', 'locked', 'declined', 'withheld'] as const
export type AccessState = (typeof accessStates)[number]
/** Texts for the seller's lists and exported files. */
export const accessStateTexts: Record<AccessState, string> = {
  none: 'not requested',
  asked: 'waiting for you',
  unlocking: 'unlocking',
  unlocked: 'unlocked',
  locked: 'locked',
  declined: 'declined',
  withheld: 'removed by you',
}
/** States from which the connector starts to unlock. */
export const unlockableStates = ['none', 'locked', 'asked'] as const satisfies AccessState[]

/** `named`, `renamed`: the username was entered or changed; `opened`, `closed`: access was unlocked for good, or locked. */
export const accessEvents = [
  'paid',
  'ended',
  'named',
  'renamed',
  'asked',
  'connector_on',
  'connector_off',
  'granted',
  'undone',
  'declined',
  'withheld',
  'restored',
  'opened',
  'closed',
] as const
export type AccessEvent = (typeof accessEvents)[number]

/** Named as in the audit log: `access.granted`. */
export const accessDecisions = ['granted', 'restored', 'undone', 'declined', 'withheld', 'locked'] as const
export type AccessDecision = (typeof accessDecisions)[number]

/** Most urgent first. `decide`: asked again after a refusal; `move`: to another username; `had_access`: before this shop unlocked it; `renamed`: at TradingView. */
export const todoKinds = [
  'decide',
  'unlock',
  'move',
  'lock',
  'name_not_found',
  'name_taken',
  'name_unreadable',
  'stuck',
  'had_access',
  'renamed',
] as const
export type TodoKind = (typeof todoKinds)[number]

/** Tasks that the seller promises to do within a time (contract/access/promise.ts). */
export const promisedTodoKinds = ['decide', 'unlock', 'move'] as const satisfies TodoKind[]

export const messageStates = ['open', 'answered'] as const
export type MessageState = (typeof messageStates)[number]

export const newsletterStates = ['asked', 'subscribed', 'left'] as const
export type NewsletterState = (typeof newsletterStates)[number]
export const newsletterStateTexts: Record<NewsletterState, string> = {
  asked: 'not confirmed',
  subscribed: 'subscribed',
  left: 'unsubscribed',
}

/** `paused` waits for the seller. */
export const mailingStates = ['draft', 'scheduled', 'sending', 'paused', 'stopped', 'sent'] as const
export type MailingState = (typeof mailingStates)[number]
export const stoppableStates = ['scheduled', 'sending', 'paused'] as const satisfies MailingState[]

/** `asked`: by an admin; `missed`: the scheduled time; `restored`: from a backup; `incomplete`: the seller's details. */
export const pauseReasons = ['asked', 'connections', 'missed', 'restored', 'incomplete'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** `uncertain`: the process or connection ended before the mail server answered. */
export const recipientStates = ['waiting', 'handed_over', 'sent', 'refused', 'uncertain'] as const
export type RecipientState = (typeof recipientStates)[number]

/** `refused`: a permanent bounce. */
export const suppressionReasons = ['objected', 'refused', 'by_seller'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

export const importVerdicts = ['new', 'there', 'fault'] as const
export type ImportVerdictKind = (typeof importVerdicts)[number]

/** `unpaid`: access ends after the grace period; `disputed`: it is not extended meanwhile. */
export const entitlementReasons = ['renews', 'ends', 'unpaid', 'disputed'] as const
export type EntitlementReason = (typeof entitlementReasons)[number]

export const nameProblems = ['unreadable', 'taken', 'not_found'] as const
export type NameProblem = (typeof nameProblems)[number]

export const connectionStates = ['off', 'on', 'paused', 'expired', 'blocked'] as const
export type ConnectionState = (typeof connectionStates)[number]

/** `dry` only shows what it would do; `grant` never removes or shortens; `full` does both. */
export const connectionModes = ['dry', 'grant', 'full'] as const
export type ConnectionMode = (typeof connectionModes)[number]

export const proofs = ['password', 'password and code', 'passkey', 'recovery code', 'payment', 'link'] as const
export type Proof = (typeof proofs)[number]
/** Proofs that count as a second factor. */
export const strongProofs = ['password and code', 'passkey'] as const satisfies Proof[]

export const waysToProve = ['passkey', 'code', 'password'] as const
export type WayToProve = (typeof waysToProve)[number]
