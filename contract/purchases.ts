import * as z from 'zod/mini'
import { endpoint, nothing, paging, sort } from './endpoint.ts'
import { billingType, cents, id, instant, setupIntentId } from './fields.ts'

/** The spec's four, and past_due: a renewal failed, access goes on while the card is asked again. */
export const purchaseStatus = z.enum(['active', 'pending_cancel', 'past_due', 'cancelled', 'expired'])
export type PurchaseStatus = z.output<typeof purchaseStatus>

/** While a purchase is one of these its owner has access. */
export const liveStatuses = ['active', 'pending_cancel', 'past_due'] as const satisfies PurchaseStatus[]
export const isLive = (status: PurchaseStatus) => liveStatuses.some((live) => live === status)

export const endedBecause = z.enum(['cancelled', 'unpaid', 'refunded', 'disputed', 'duplicate'])
export type EndedBecause = z.output<typeof endedBecause>

const purchase = z.strictObject({
  id,
  userId: id,
  productId: id,
  billingType,
  amount: cents,
  status: purchaseStatus,
  createdAt: instant,
  /** Until when it is paid; an active subscription renews then. Null for a purchase booked by hand. */
  currentPeriodEnd: z.nullable(instant),
  /** When a cancelled subscription will end. */
  endsAt: z.nullable(instant),
  /** Since when a renewal is unpaid, and until when access goes on nevertheless. */
  pastDueSince: z.nullable(instant),
  graceEndsAt: z.nullable(instant),
  endedAt: z.nullable(instant),
  endedBecause: z.nullable(endedBecause),
  refundedAmount: cents,
  /** The payment that began it; names it in an access request. Null for a purchase booked by hand. */
  paymentIntentId: z.nullable(z.string()),
  tradingViewUsername: z.nullable(z.string()),
  user: z.strictObject({ email: z.string(), name: z.string() }),
  product: z.strictObject({ name: z.string(), slug: z.string() }),
})
export type Purchase = z.output<typeof purchase>

const invoice = z.strictObject({
  id: z.string(),
  number: z.nullable(z.string()),
  createdAt: instant,
  amount: cents,
  /** Stripe's word: draft, open, paid, uncollectible or void. */
  status: z.string(),
  invoiceUrl: z.nullable(z.string()),
  pdfUrl: z.nullable(z.string()),
})
export type Invoice = z.output<typeof invoice>

export const purchases = {
  list: endpoint({
    method: 'GET',
    path: '/api/purchases',
    access: 'user',
    summary: 'My purchases, newest first',
    input: z.strictObject({ limit: paging.limit, cursor: paging.cursor }),
    output: z.array(purchase),
    answer: 'list',
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/purchases/:id/cancel',
    access: 'user',
    summary: 'Cancel at the end of the paid period',
    input: z.strictObject({ id }),
    output: nothing,
  }),
  invoice: endpoint({
    method: 'GET',
    path: '/api/purchases/:id/invoice',
    access: 'user',
    summary: 'Where the latest invoice can be seen and downloaded',
    input: z.strictObject({ id }),
    output: z.strictObject({ invoiceUrl: z.string() }),
  }),
  resume: endpoint({
    method: 'POST',
    path: '/api/purchases/:id/resume',
    access: 'user',
    summary: 'Take back a cancellation before the paid period ends',
    input: z.strictObject({ id }),
    output: nothing,
  }),
  invoices: endpoint({
    method: 'GET',
    path: '/api/purchases/:id/invoices',
    access: 'user',
    summary: 'Every invoice of a purchase, newest first',
    input: z.strictObject({ id }),
    output: z.array(invoice),
  }),
  beginCardUpdate: endpoint({
    method: 'POST',
    path: '/api/purchases/:id/card',
    access: 'user',
    summary: 'Begin to store another card; the answer is the secret that the card form confirms with',
    input: z.strictObject({ id }),
    output: z.strictObject({ clientSecret: z.string() }),
    limit: { requests: 20, seconds: 600 },
  }),
  finishCardUpdate: endpoint({
    method: 'POST',
    path: '/api/purchases/:id/card/confirm',
    access: 'user',
    summary: 'Use the stored card from now on, and pay what is open with it',
    input: z.strictObject({ id, setupIntentId }),
    /** A secret when the bank wants the buyer to confirm the open payment. */
    output: z.strictObject({ confirmWith: z.nullable(z.string()) }),
    limit: { requests: 20, seconds: 600 },
  }),
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/purchases',
    access: 'admin',
    summary: 'Purchases of all, newest first',
    input: z.strictObject({
      ...paging,
      status: z.optional(purchaseStatus),
      billingType: z.optional(billingType),
      sort,
    }),
    output: z.array(purchase),
    answer: 'list',
  }),
  adminAdd: endpoint({
    method: 'POST',
    path: '/api/admin/purchases',
    access: 'admin',
    summary: 'Book a purchase by hand',
    input: z.strictObject({
      userId: id,
      productId: id,
      billingType,
      amount: cents,
      status: z.enum(['active', 'cancelled', 'expired']),
    }),
    output: nothing,
  }),
  adminCancel: endpoint({
    method: 'PATCH',
    path: '/api/admin/purchases/:id/cancel',
    access: 'admin',
    summary: 'Cancel a purchase, and its subscription at Stripe',
    input: z.strictObject({ id }),
    output: nothing,
  }),
  adminRefund: endpoint({
    method: 'POST',
    path: '/api/admin/purchases/:id/refund',
    access: 'admin',
    summary: 'Pay back the latest payment, all of what is left or a part; in full it ends access',
    input: z.strictObject({ id, amount: z.optional(cents.check(z.minimum(1, 'Please enter an amount'))) }),
    output: nothing,
  }),
  adminDelete: endpoint({
    method: 'DELETE',
    path: '/api/admin/purchases/:id',
    access: 'admin',
    summary: 'Delete a purchase for good, and cancel its subscription at Stripe',
    input: z.strictObject({ id }),
    output: nothing,
  }),
}
