import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import {
  billingType,
  cents,
  id,
  instant,
  opaqueText,
  optionalText,
  pageAndSearchFields,
  pageFields,
  setupIntentId,
  sort,
} from '../fields.ts'
import {
  bookableStatuses,
  bookingKinds,
  endReasons,
  leaveReasons,
  paymentPlaces,
  purchaseNeeds,
  purchaseRisks,
  purchaseStatuses,
} from '../statuses.ts'
import { tax } from './billing.ts'
import { purchasesAdmin } from './purchases-admin.ts'

/** A status, or `live`: whichever gives access. */
const purchaseFilters = [...purchaseStatuses, 'live', 'paying'] as const

const purchaseStatus = z.enum(purchaseStatuses)

const purchase = z.object({
  id,
  userId: id,
  productId: id,
  billingType,
  /** How often it is charged, as in "per month" or, where Stripe has another interval than the plans, "per 6 months". */
  period: z.string(),
  /** List price of a period. */
  amount: cents,
  /** Latest payment, next renewal and amount owed now, after discounts and credit. */
  lastPaidAmount: z.nullable(cents),
  nextAmount: z.nullable(cents),
  dueAmount: z.nullable(cents),
  /** Sentence about charges if a discount will end; see `describeCharges`. */
  charges: z.nullable(z.string()),
  /** Payment method: "Visa ending in 4242, expires 12/34". Null once nothing more is charged. */
  card: z.nullable(z.string()),
  status: purchaseStatus,
  createdAt: instant,
  /** Paid through this date; an active subscription renews then. Null for a purchase booked by hand. */
  currentPeriodEnd: z.nullable(instant),
  /** When a cancelled subscription ends, or one that was booked by hand until a day. */
  endsAt: z.nullable(instant),
  /** When a renewal went unpaid, and how long the buyer keeps access anyway. */
  pastDueSince: z.nullable(instant),
  graceEndsAt: z.nullable(instant),
  awaitsBank: z.boolean(),
  /** The seller stopped collecting payments; access stays. Until when, if Stripe knows. */
  isCollectionPaused: z.boolean(),
  collectionResumesAt: z.nullable(instant),
  endedAt: z.nullable(instant),
  endedBecause: z.nullable(z.enum(endReasons)),
  refundedAmount: cents,
  paidThrough: z.enum(paymentPlaces),
  /** Its owner need not buy again. */
  isOngoing: z.boolean(),
  /** The first payment, which identifies it in an access request. Null for one booked by hand, or not paid yet. */
  paymentIntentId: z.nullable(z.string()),
  /** How a purchase booked by hand came about, if the seller said so. */
  kind: z.nullable(z.enum(bookingKinds)),
  tradingViewUsername: z.nullable(z.string()),
  user: z.object({ email: z.string(), name: z.string() }),
  product: z.object({ name: z.string(), slug: z.string() }),
})
export type Purchase = z.infer<typeof purchase>

const managedPurchase = z.extend(purchase, {
  /** The Stripe account that it was paid at, if the shop has moved to another one since. */
  formerAccount: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  leaveReason: z.nullable(z.enum(leaveReasons)),
  leaveComment: z.nullable(z.string()),
  /** Early fraud warning that the seller has not decided about. */
  isWarned: z.boolean(),
  /** A buyer's bank decides about a payment; until `disputeDueAt`, the seller can answer it. */
  isDisputed: z.boolean(),
  disputeDueAt: z.nullable(instant),
  /** Undecided disputes at Stripe, the first to be answered first. */
  disputeIds: z.array(z.string()),
  /** Refunds that the bank returned; the seller pays them another way. */
  failedRefunds: cents,
  lostAmount: cents,
  lostAndKept: cents,
})
export type ManagedPurchase = z.infer<typeof managedPurchase>

const invoice = z.object({
  id: z.string(),
  kind: z.enum(['invoice', 'credit_note']),
  number: z.nullable(z.string()),
  createdAt: instant,
  amount: cents,
  /** Stripe's term: draft, open, paid, uncollectible or void. */
  status: z.string(),
  /** Stripe shows none of a draft, nor of a former account. */
  hasDocument: z.boolean(),
})
export type Invoice = z.infer<typeof invoice>

/** An invoice or a credit note. */
export const documentId = z.string().check(z.regex(/^(in|cn)_[A-Za-z0-9_]{1,200}$/, 'This link is not valid'))
/** A credit note is only a file. */
export const documentLinks = z.object({ viewUrl: z.nullable(z.string()), pdfUrl: z.nullable(z.string()) })

const switchOffer = z.object({
  /** Start of the credited unused time. The order repeats it, so that the quoted amount is charged. */
  at: instant,
  billingType,
  price: cents,
  /** They add up to what is due. */
  lines: z.array(z.object({ kind: z.enum(['unused', 'plan', 'discount', 'credit']), amount: z.int() })),
  unusedDays: z.int(),
  due: cents,
  tax: z.nullable(tax),
  renewsAt: instant,
  nextAmount: cents,
  card: z.nullable(z.string()),
})
export type SwitchOffer = z.infer<typeof switchOffer>

/** Each one sends an email, and the one who bought first may not be the one who reads that mailbox. */
const changes = { requests: 10, seconds: 3600 }

export const purchases = {
  list: endpoint('GET /api/purchases', {
    summary: 'My purchases, newest first',
    input: z.strictObject(pageFields),
    output: z.array(purchase),
    answer: 'list',
  }),
  cancel: endpoint('POST /api/purchases/:id/cancel', {
    summary: 'Cancel at the end of the paid period',
    /** False if it counts, but waits until the shop can reach its account at Stripe. */
    output: z.object({ isDone: z.boolean() }),
    limit: changes,
  }),
  cancellation: endpoint('GET /api/purchases/:id/cancellation', {
    summary: 'When a cancellation made now would take effect, and what would be refunded',
    output: z.object({ endsAt: z.nullable(instant), refund: cents }),
  }),
  nextCharge: endpoint('GET /api/purchases/:id/next-charge', {
    summary: 'What the next renewal will charge, by Stripe’s own preview',
    /** `isExact` is false where Stripe is slow or away: then it is the amount as the shop knows it. */
    output: z.object({ amount: z.nullable(cents), isExact: z.boolean() }),
  }),
  invoice: endpoint('GET /api/purchases/:id/invoice', {
    summary: 'Where to view and download the latest invoice',
    output: z.object({ invoiceUrl: z.string() }),
  }),
  giveReason: endpoint('POST /api/purchases/:id/reason', {
    summary: 'Say why it was cancelled; optional, and only after it was',
    input: z.strictObject({ id, reason: z.enum(leaveReasons), comment: optionalText(500) }),
    limit: changes,
  }),
  resume: endpoint('POST /api/purchases/:id/resume', {
    summary: 'Undo a cancellation before the paid period ends',
    limit: changes,
  }),
  invoices: endpoint('GET /api/purchases/:id/invoices', {
    summary: 'Every invoice for a purchase, newest first',
    output: z.array(invoice),
  }),
  document: endpoint('GET /api/invoices/:document', {
    summary: 'Where Stripe shows an invoice or credit note of mine; its links expire, so this is asked on each click',
    input: z.strictObject({ document: documentId }),
    output: documentLinks,
  }),
  openInvoice: endpoint('POST /api/invoice-link', {
    access: 'public',
    summary: 'Where to view the invoice of an emailed receipt; the link works once, without a login',
    input: z.strictObject({
      purchase: z.uuid('This link is not valid'),
      invoice: z.string().check(z.regex(/^in_[A-Za-z0-9_]{1,200}$/, 'This link is not valid')),
      token: opaqueText(100, 'This link is not valid'),
    }),
    output: z.object({ invoiceUrl: z.string() }),
    limit: { requests: 20, seconds: 600 },
  }),
  beginCardUpdate: endpoint('POST /api/purchases/:id/card', {
    summary: 'Start saving another card; returns the client secret for the card form',
    /** Another one if the bank only wants the buyer to confirm the open payment: the present card will do. */
    output: z.object({ clientSecret: z.string(), confirmWith: z.nullable(z.string()) }),
    limit: { requests: 20, seconds: 600 },
  }),
  finishCardUpdate: endpoint('POST /api/purchases/:id/card/confirm', {
    summary: 'Charge the saved card for an unpaid renewal and for those to come',
    /** Without a card: only looks whether the open payment has been confirmed. */
    input: z.strictObject({ id, setupIntentId: z.optional(setupIntentId) }),
    /** A client secret if the bank wants the buyer to confirm the open payment, which isn't done then. */
    output: z.object({
      state: z.enum(['done', 'processing']),
      confirmWith: z.nullable(z.string()),
      /** The card in use now. */
      card: z.nullable(z.string()),
    }),
    limit: { requests: 20, seconds: 600 },
  }),
  switchOffer: endpoint('GET /api/purchases/:id/switch', {
    summary: 'What it costs to switch to the longest plan right now, line by line',
    output: switchOffer,
    limit: { requests: 60, seconds: 600 },
  }),
  switch: endpoint('POST /api/purchases/:id/switch', {
    fresh: 'today',
    summary:
      'Switch to the longest plan and charge the card on file; if it would charge another amount, nothing happens',
    input: z.strictObject({ id, at: z.iso.datetime(), amount: cents }),
    /** A client secret if the bank wants the buyer to confirm the payment; until then, nothing has changed. */
    output: z.object({ state: z.enum(['done', 'processing']), confirmWith: z.nullable(z.string()) }),
    limit: { requests: 20, seconds: 600 },
  }),
  finishSwitch: endpoint('POST /api/purchases/:id/switch/finish', {
    summary: 'Look whether the bank has confirmed a switch, or give it up',
    input: z.strictObject({ id, giveUp: z.optional(z.boolean()) }),
    output: z.object({ state: z.enum(['done', 'processing', 'off']), confirmWith: z.nullable(z.string()) }),
    limit: { requests: 100, seconds: 600 },
  }),
  adminList: endpoint('GET /api/admin/purchases', {
    access: 'customers.read',
    summary: 'Everyone’s purchases, newest first',
    input: z.strictObject({
      ...pageAndSearchFields,
      status: z.optional(z.enum(purchaseFilters)),
      billingType: z.optional(billingType),
      /** Only those that need the seller because of it, or are at risk. */
      need: z.optional(z.enum([...purchaseNeeds, ...purchaseRisks])),
      sort,
    }),
    output: z.array(managedPurchase),
    answer: 'list',
  }),
  adminAdd: endpoint('POST /api/admin/purchases', {
    access: 'purchases.manage',
    summary: 'Book a purchase by hand',
    input: z.strictObject({
      userId: id,
      productId: id,
      billingType,
      amount: cents,
      status: z.enum(bookableStatuses),
      kind: z.optional(z.enum(bookingKinds)),
      /** For the seller's eyes, and in the buyer's own data. */
      reason: optionalText(500),
      /** Ends on that day; never, if left out. */
      endsAt: z.optional(z.iso.datetime('Please choose a day and time')),
      invite: z.optional(z.boolean()),
    }),
  }),
  ...purchasesAdmin,
}
