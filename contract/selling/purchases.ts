import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { billingType, cents, id, instant, opaqueText, optionalText, pageFields, setupIntentId } from '../fields.ts'
import { bookingKinds, endReasons, leaveReasons, paymentPlaces, purchaseStatuses } from '../statuses.ts'
import { tax } from './billing.ts'
import { withdrawalCoverages } from './legal/consumer-law.ts'

/** End that the preview of the cancellation named. If it differs by now, nothing is cancelled. */
export const expectedEnd = z.optional(z.nullable(z.iso.datetime()))

const purchaseStatus = z.enum(purchaseStatuses)

export const purchase = z.object({
  id,
  userId: id,
  productId: id,
  billingType,
  /** Interval, for example "month" in "per month". Stripe may have intervals that are no plan of the shop, such as "6 months". */
  period: z.string(),
  /** List price for one period. */
  amount: cents,
  /** Latest payment, next renewal and amount owed now, after discounts and credit. */
  lastPaidAmount: z.nullable(cents),
  nextAmount: z.nullable(cents),
  dueAmount: z.nullable(cents),
  /** Sentence by `describeCharges`; null unless a discount will end. */
  charges: z.nullable(z.string()),
  /** Payment method: "Visa ending in 4242, expires 12/34". Null once nothing more is charged. */
  card: z.nullable(z.string()),
  status: purchaseStatus,
  createdAt: instant,
  /** End of the paid period, when an active subscription renews. Null for a purchase booked by hand. */
  currentPeriodEnd: z.nullable(instant),
  /** When a cancelled purchase, or one booked by hand with an end, ends. */
  endsAt: z.nullable(instant),
  pastDueSince: z.nullable(instant),
  /** When a buyer with an unpaid renewal loses access. */
  graceEndsAt: z.nullable(instant),
  /** True if the buyer must confirm a payment with their bank. */
  awaitsBank: z.boolean(),
  /** True if the seller paused collection at Stripe; access stays. */
  isCollectionPaused: z.boolean(),
  /** Null if no end of the pause is set. */
  collectionResumesAt: z.nullable(instant),
  endedAt: z.nullable(instant),
  endedBecause: z.nullable(z.enum(endReasons)),
  refundedAmount: cents,
  paidThrough: z.enum(paymentPlaces),
  /** Last day of the right to withdraw, and what is refunded then. Null once it is over. */
  withdrawal: z.nullable(z.object({ by: instant, covers: z.enum(withdrawalCoverages) })),
  /** True if its owner can't buy the product again. */
  isOngoing: z.boolean(),
  /** First payment, which identifies the purchase in an access request. Null if booked by hand or not paid yet. */
  paymentIntentId: z.nullable(z.string()),
  /** Only for a purchase booked by hand, if the seller gave it. */
  kind: z.nullable(z.enum(bookingKinds)),
  tradingViewUsername: z.nullable(z.string()),
  user: z.object({ email: z.string(), name: z.string() }),
  product: z.object({ name: z.string(), slug: z.string() }),
})
export type Purchase = z.infer<typeof purchase>

const invoice = z.object({
  id: z.string(),
  kind: z.enum(['invoice', 'credit_note']),
  number: z.nullable(z.string()),
  createdAt: instant,
  amount: cents,
  /** Stripe's status: draft, open, paid, uncollectible or void. */
  status: z.string(),
  /** False for a draft, and for an invoice of a former Stripe account. */
  hasDocument: z.boolean(),
})
export type Invoice = z.infer<typeof invoice>

export const documentId = z.string().check(z.regex(/^(in|cn)_[A-Za-z0-9_]{1,200}$/, 'This link is not valid'))
/** A credit note has no page to view, only a PDF. */
export const documentLinks = z.object({ viewUrl: z.nullable(z.string()), pdfUrl: z.nullable(z.string()) })

const switchOffer = z.object({
  /** Start of the credited unused time. `switch` takes it, so that Stripe computes the same amount. */
  at: instant,
  billingType,
  price: cents,
  /** The amounts add up to `due`. */
  lines: z.array(z.object({ kind: z.enum(['unused', 'plan', 'discount', 'credit']), amount: z.int() })),
  unusedDays: z.int(),
  due: cents,
  tax: z.nullable(tax),
  renewsAt: instant,
  nextAmount: cents,
  card: z.nullable(z.string()),
})
export type SwitchOffer = z.infer<typeof switchOffer>

/** Low limit, because each of these calls sends an email to an address that may belong to another person. */
const limitWithEmail = { requests: 10, seconds: 3600 }

export const purchases = {
  list: endpoint('GET /api/purchases', {
    summary: 'My purchases, newest first',
    input: z.strictObject(pageFields),
    output: z.array(purchase),
    answer: 'list',
  }),
  cancel: endpoint('POST /api/purchases/:id/cancel', {
    summary: 'Cancel at the end of the paid period',
    input: z.strictObject({ id, endsAt: expectedEnd }),
    /** False if the cancellation is recorded, but Stripe could not be reached yet. */
    output: z.object({ isDone: z.boolean() }),
    limit: limitWithEmail,
  }),
  cancellation: endpoint('GET /api/purchases/:id/cancellation', {
    summary: 'When a cancellation made now would take effect, and what would be refunded',
    output: z.object({ endsAt: z.nullable(instant), refund: cents }),
  }),
  nextCharge: endpoint('GET /api/purchases/:id/next-charge', {
    summary: 'What the next renewal will charge, by Stripe’s own preview',
    /** `isExact` is false if Stripe did not answer in time; the amount is then the shop's copy. */
    output: z.object({ amount: z.nullable(cents), isExact: z.boolean() }),
  }),
  invoice: endpoint('GET /api/purchases/:id/invoice', {
    summary: 'Where to view and download the latest invoice',
    output: z.object({ invoiceUrl: z.string() }),
  }),
  giveReason: endpoint('POST /api/purchases/:id/reason', {
    summary: 'Say why it was cancelled; optional, and only after it was',
    input: z.strictObject({ id, reason: z.enum(leaveReasons), comment: optionalText(500) }),
    limit: limitWithEmail,
  }),
  resume: endpoint('POST /api/purchases/:id/resume', {
    summary: 'Undo a cancellation before the paid period ends',
    limit: limitWithEmail,
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
    summary: 'Where to view or pay an emailed invoice, without a login; once it is paid, the link works once',
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
    /** `confirmWith`: client secret for an open payment that only needs the buyer to confirm it with the current card. */
    output: z.object({ clientSecret: z.string(), confirmWith: z.nullable(z.string()) }),
    limit: { requests: 20, seconds: 600 },
  }),
  finishCardUpdate: endpoint('POST /api/purchases/:id/card/confirm', {
    summary: 'Charge the saved card for an unpaid renewal and for those to come',
    /** Without `setupIntentId`, the call only checks whether the open payment has been confirmed. */
    input: z.strictObject({ id, setupIntentId: z.optional(setupIntentId) }),
    /** `confirmWith` is a client secret if the buyer must confirm the open payment, which is not done then. */
    output: z.object({
      state: z.enum(['done', 'processing']),
      confirmWith: z.nullable(z.string()),
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
    /** `confirmWith` is a client secret if the buyer must confirm the payment; until then, nothing has changed. */
    output: z.object({ state: z.enum(['done', 'processing']), confirmWith: z.nullable(z.string()) }),
    limit: { requests: 20, seconds: 600 },
  }),
  finishSwitch: endpoint('POST /api/purchases/:id/switch/finish', {
    summary: 'Look whether the bank has confirmed a switch, or give it up',
    input: z.strictObject({ id, giveUp: z.optional(z.boolean()) }),
    output: z.object({ state: z.enum(['done', 'processing', 'off']), confirmWith: z.nullable(z.string()) }),
    limit: { requests: 100, seconds: 600 },
  }),
}
