import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { billingType, cents, id, instant, lastDay, optionalText, pageAndSearchFields, sort } from '../fields.ts'
import {
  bookableStatuses,
  bookingKinds,
  leaveReasons,
  purchaseNeeds,
  purchaseRisks,
  purchaseStatuses,
} from '../statuses.ts'
import { expectedEnd, purchase } from './purchases.ts'

/** A status; `live` for all that give access; `paying` for those that also count as revenue. */
const purchaseFilters = [...purchaseStatuses, 'live', 'paying'] as const

const managedPurchase = z.extend(purchase, {
  /** Stripe account that the purchase belongs to, if the shop has moved to another account since. */
  formerAccount: z.nullable(z.string()),
  /** The seller's note about a purchase booked by hand. */
  reason: z.nullable(z.string()),
  leaveReason: z.nullable(z.enum(leaveReasons)),
  leaveComment: z.nullable(z.string()),
  /** True if Stripe sent an early fraud warning that the seller has not decided about. */
  isWarned: z.boolean(),
  /** True while a dispute is undecided; the seller can answer it until `disputeDueAt`. */
  isDisputed: z.boolean(),
  disputeDueAt: z.nullable(instant),
  /** Stripe's ids of undecided disputes, earliest deadline first. */
  disputeIds: z.array(z.string()),
  /** True if no payment by card is left to refund. */
  isFullyRefunded: z.boolean(),
  /** Refunds that the bank returned or that no card can take; the seller pays them another way. */
  failedRefunds: cents,
  /** Sum of lost disputes. */
  lostAmount: cents,
  /** Part of `lostAmount` after which the seller kept the subscription. */
  lostAndKept: cents,
})
export type ManagedPurchase = z.infer<typeof managedPurchase>

/** Reasons for a refund, for the audit log; the first two are Stripe's own. */
export const refundReasons = {
  requested_by_customer: 'The customer asked for it',
  duplicate: 'Charged twice',
  goodwill: 'Goodwill',
} as const
export type RefundReason = keyof typeof refundReasons

export const purchasesAdmin = {
  list: endpoint('GET /api/admin/purchases', {
    access: 'customers.read',
    summary: 'Everyone’s purchases, newest first',
    input: z.strictObject({
      ...pageAndSearchFields,
      status: z.optional(z.enum(purchaseFilters)),
      billingType: z.optional(billingType),
      /** Only purchases with this task for the seller, or this risk. */
      need: z.optional(z.enum([...purchaseNeeds, ...purchaseRisks])),
      sort,
    }),
    output: z.array(managedPurchase),
    answer: 'list',
  }),
  add: endpoint('POST /api/admin/purchases', {
    access: 'purchases.manage',
    summary: 'Book a purchase by hand',
    input: z.strictObject({
      userId: id,
      productId: id,
      billingType,
      amount: cents,
      status: z.enum(bookableStatuses),
      kind: z.optional(z.enum(bookingKinds)),
      /** Note for the seller; also part of the buyer's "my data". */
      reason: optionalText(500),
      /** Without it, the purchase never ends. */
      endsAt: z.optional(z.iso.datetime('Please choose a day and time')),
      invite: z.optional(z.boolean()),
    }),
  }),
  cancel: endpoint('PATCH /api/admin/purchases/:id/cancel', {
    access: 'purchases.manage',
    summary: 'Cancel a purchase and its Stripe subscription now',
    input: z.strictObject({
      id,
      /** Refund for the unused part of the paid period, as returned by `adminCancellation`; without it, none. */
      refund: z.optional(cents.check(z.minimum(1, 'Please enter an amount'))),
    }),
  }),
  /** Does the same as the buyer's button, for buyers who ask by email. */
  cancelAtPeriodEnd: endpoint('POST /api/admin/purchases/:id/cancel-at-period-end', {
    access: 'purchases.cancel',
    fresh: true,
    summary: 'Cancel an active purchase at the end of the paid period',
    input: z.strictObject({ id, endsAt: expectedEnd }),
  }),
  cancellation: endpoint('GET /api/admin/purchases/:id/cancellation', {
    access: 'purchases.cancel',
    summary: 'What a cancellation would do: at the end of the paid period, and now',
    output: z.object({
      /** When a cancellation at the period's end takes effect; null if it can only end now. */
      endsAt: z.nullable(instant),
      /** Refund due at `endsAt`, for the unused part of a renewed year. */
      refund: cents,
      /** Refund for the unused days if the purchase ends now. */
      rest: cents,
      /** True if Stripe does not know the subscription; it can then only be ended here, as gone. */
      isMissing: z.boolean(),
    }),
  }),
  resume: endpoint('POST /api/admin/purchases/:id/resume', {
    access: 'purchases.manage',
    summary: 'Take back a cancellation before the paid period ends',
  }),
  refundable: endpoint('GET /api/admin/purchases/:id/refundable', {
    access: 'money.refund',
    summary: 'How much of each payment has not been refunded yet',
    output: z.object({
      /** Newest first. */
      payments: z.array(
        z.object({
          paymentIntentId: z.string(),
          paidAt: instant,
          amount: cents,
          refundable: cents,
          /** Part that a switch to the yearly plan credited; it can’t be refunded separately. */
          credited: cents,
          /** True if a full refund ends the subscription. */
          endsSubscription: z.boolean(),
        }),
      ),
      /** How long the buyer keeps access if the refund does not end the subscription. */
      accessUntil: z.nullable(instant),
      /** Sum of all refunds. `adminRefund` takes it as an optimistic lock. */
      refundedSoFar: cents,
    }),
  }),
  refund: endpoint('POST /api/admin/purchases/:id/refund', {
    access: 'money.refund',
    summary: 'Refund what is left of a payment, or part of it; all of the present period’s ends access',
    input: z.strictObject({
      id,
      /** Value from `adminRefundable`. If it has changed since, the refund is refused. */
      refundedSoFar: cents,
      /** Without it, everything that is refundable. */
      amount: z.optional(cents.check(z.minimum(1, 'Please enter an amount'))),
      /** Without it, the latest payment. */
      paymentIntentId: z.optional(z.string().check(z.regex(/^pi_[A-Za-z0-9_]{1,200}$/))),
      /** The subscription continues even after a full refund. */
      keepAccess: z.optional(z.boolean()),
      reason: z.optional(z.enum(Object.keys(refundReasons) as [RefundReason, ...RefundReason[]])),
    }),
  }),
  settleWarning: endpoint('POST /api/admin/purchases/:id/fraud-warning', {
    access: 'money.refund',
    summary:
      'Refund a payment that its bank takes for fraud and every later one, and end the subscription, or keep both',
    input: z.strictObject({ id, decision: z.enum(['refund', 'dismiss']) }),
  }),
  keepAfterLoss: endpoint('POST /api/admin/purchases/:id/lost-dispute', {
    access: 'money.refund',
    summary: 'Go on with a subscription although a bank took back an earlier payment of it',
    /** `amount` is the loss that the caller saw, so that a later loss is not accepted unseen. */
    input: z.strictObject({ id, amount: cents.check(z.minimum(1, 'Please enter an amount')) }),
  }),
  settleRefunds: endpoint('POST /api/admin/purchases/:id/failed-refunds', {
    access: 'money.refund',
    summary: 'Note that a refund which a bank returned has reached the buyer another way',
    /** `amount` is what the caller saw, so that later failures are not settled unseen. */
    input: z.strictObject({ id, amount: cents.check(z.minimum(1, 'Please enter an amount')) }),
  }),
  extend: endpoint('POST /api/admin/purchases/:id/extend', {
    access: 'purchases.manage',
    summary: 'Move the next payment, or the end, to a later day, free of charge',
    input: z.strictObject({ id, until: lastDay }),
  }),
  retryPayment: endpoint('POST /api/admin/purchases/:id/retry', {
    access: 'money.refund',
    summary: 'Charge the card on file again for an unpaid renewal',
    /** `awaits-bank`: the buyer must confirm the payment with their bank. */
    output: z.object({ state: z.enum(['done', 'processing', 'awaits-bank']) }),
  }),
  sendPayLink: endpoint('POST /api/admin/purchases/:id/pay-link', {
    access: 'money.refund',
    summary: 'Email the buyer a link to pay an unpaid renewal without logging in',
    limit: { requests: 20, seconds: 3600 },
  }),
  delete: endpoint('DELETE /api/admin/purchases/:id', {
    access: 'purchases.manage',
    summary: 'Permanently delete a purchase and cancel its Stripe subscription',
  }),
}
