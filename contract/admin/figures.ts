import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, id, instant, month, pageAndSearchFields, period } from '../fields.ts'
import {
  differenceFaults,
  explainedDifferences,
  leaveReasons,
  movementCauses,
  movementKinds,
  paymentKinds,
} from '../statuses.ts'

/** Time ranges: the last 30 days, or whole calendar months including the current one. */
export const ranges = ['30d', '3m', '12m', 'all'] as const
export type Range = (typeof ranges)[number]

const person = z.object({ id, name: z.string(), email: z.string() })

const movement = z.object({
  id: z.int(),
  at: instant,
  kind: z.enum(movementKinds),
  cause: z.enum(movementCauses),
  /** Yearly revenue before and after, in whole cents. */
  arrBefore: z.int(),
  arrAfter: z.int(),
  /** Reason that the buyer gave when cancelling; only with lost revenue. */
  reason: z.nullable(z.enum(leaveReasons)),
  comment: z.nullable(z.string()),
  user: person,
})
export type AdminMovement = z.infer<typeof movement>

const payment = z.object({
  id: z.string(),
  kind: z.enum(paymentKinds),
  at: instant,
  amount: cents,
  /** Tax included in the amount; for a refund, the tax of its credit note. */
  tax: z.nullable(cents),
  /** Stripe's status of a refund. */
  status: z.nullable(z.string()),
  invoice: z.object({ id: z.string(), number: z.nullable(z.string()) }),
  /** The period that the payment was for; null if its invoice names none. */
  periodStart: z.nullable(instant),
  periodEnd: z.nullable(instant),
  country: z.nullable(z.string()),
  /** In Stripe's settlement currency. Null until the hourly job has read the balance, and for out-of-band payments. */
  settled: z.nullable(z.object({ fee: z.int(), net: z.int(), currency: z.string() })),
  /** When its payout arrived at the bank; null before. */
  paidOutAt: z.nullable(instant),
  /** The latest dispute of the payment. */
  disputeId: z.nullable(z.string()),
  user: person,
})
export type AdminPayment = z.infer<typeof payment>

/** `arr` is yearly revenue in whole cents. */
const revenueSum = z.object({ arr: z.int(), count: z.int() })

const figuresOutput = z.object({
  /** Yearly revenue when the range began. */
  before: z.int(),
  movements: z.record(z.enum(movementKinds), revenueSum),
  /** Most frequent first. */
  lost: z.array(z.object({ cause: z.enum(movementCauses), arr: z.int(), count: z.int() })),
  reasons: z.array(z.object({ reason: z.enum(leaveReasons), arr: z.int(), count: z.int() })),
  /** People by month of first payment, newest first, with how many paid at the end of each later month. */
  cohorts: z.array(z.object({ month, joined: z.int(), stayed: z.array(revenueSum) })),
  /** Newest first. */
  cash: z.array(z.object({ month, paid: z.int(), tax: z.int(), refunded: z.int(), lost: z.int() })),
  /** Latest comparison with Stripe's list of subscriptions; amounts are yearly revenue in cents. */
  proof: z.nullable(
    z.object({
      at: instant,
      compared: z.int(),
      atStripe: z.int(),
      here: z.int(),
      elsewhere: z.int(),
      differing: z.int(),
      /** Subscriptions that Stripe would not show. */
      unreadable: z.int(),
      explained: z.array(z.object({ kind: z.enum(explainedDifferences), count: z.int(), arr: z.int() })),
      differences: z.array(
        z.object({
          subscriptionId: z.string(),
          atStripe: z.int(),
          here: z.int(),
          kind: z.enum(differenceFaults),
          userId: z.nullable(id),
        }),
      ),
    }),
  ),
})
export type AdminFigures = z.infer<typeof figuresOutput>

export const figures = {
  adminShow: endpoint('GET /api/admin/figures', {
    access: 'figures.read',
    summary: 'What moved the recurring revenue, who stayed, why people left, and the cash of each month',
    input: z.strictObject({ range: z.optional(z.enum(ranges)) }),
    output: figuresOutput,
  }),
  adminExport: endpoint('GET /api/admin/figures/export', {
    access: 'figures.read',
    summary: 'The figures of the last twelve months as a CSV file',
    answer: 'csv',
  }),
  adminMovements: endpoint('GET /api/admin/figures/movements', {
    access: 'figures.read',
    summary: 'What moved the recurring revenue, and who; newest first',
    input: z.strictObject({
      ...pageAndSearchFields,
      kind: z.optional(z.enum(movementKinds)),
      cause: z.optional(z.enum(movementCauses)),
      reason: z.optional(z.enum(leaveReasons)),
      month: z.optional(month),
      range: z.optional(z.enum(ranges)),
    }),
    output: z.array(movement),
    answer: 'list',
  }),
  adminPayments: endpoint('GET /api/admin/payments', {
    access: 'payments.read',
    summary: 'Every payment, refund and lost dispute, newest first',
    input: z.strictObject({
      ...pageAndSearchFields,
      kind: z.optional(z.enum(paymentKinds)),
      period: z.optional(period),
    }),
    output: z.array(payment),
    answer: 'list',
  }),
  adminExportPayments: endpoint('GET /api/admin/payments/export', {
    access: 'payments.read',
    fresh: true,
    summary: 'Payments, refunds and lost disputes as a CSV file, all of them or those of a month or a year',
    input: z.strictObject({ period: z.optional(period) }),
    answer: 'csv',
  }),
}
