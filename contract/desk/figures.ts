import { endpoint } from '../endpoint.ts'
import { cents, id, instant, month, optionalText, paging, period } from '../fields.ts'
import { type InferOutput, object } from '../schema.ts'
import { leaveReasons, movementCauses, movementKinds, paymentKinds } from '../statuses.ts'

/** How far back figures look: by days, or by whole months, the current one included. */
export const ranges = ['30d', '3m', '12m', 'all'] as const
export type Range = (typeof ranges)[number]

const person = object((z) => ({ id: id(z), name: z.string(), email: z.string() }))

const movement = object((z) => ({
  id: z.int(),
  at: instant(z),
  kind: z.enum(movementKinds),
  cause: z.enum(movementCauses),
  /** Yearly revenue before and after, in whole cents. */
  arrBefore: z.int(),
  arrAfter: z.int(),
  /** What they said when they cancelled; only with what is lost. */
  reason: z.nullable(z.enum(leaveReasons)),
  comment: z.nullable(z.string()),
  user: person(z),
}))
export type ShownMovement = InferOutput<typeof movement>

const payment = object((z) => ({
  id: z.string(),
  kind: z.enum(paymentKinds),
  at: instant(z),
  amount: cents(z),
  /** The tax inside a payment; a credit note has that of a refund. */
  tax: z.nullable(cents(z)),
  /** Stripe's word for how far a refund is. */
  status: z.nullable(z.string()),
  invoice: z.strictObject({ id: z.string(), number: z.nullable(z.string()) }),
  /** What the payment was for; null if it was recorded before the shop kept this. */
  periodStart: z.nullable(instant(z)),
  periodEnd: z.nullable(instant(z)),
  country: z.nullable(z.string()),
  user: person(z),
}))
export type ShownPayment = InferOutput<typeof payment>

/** In whole cents a year, as all of these. */
const sum = object((z) => ({ arr: z.int(), count: z.int() }))

const shown = object((z) => ({
  /** Yearly revenue when the range began. */
  before: z.int(),
  movements: z.record(z.enum(movementKinds), sum(z)),
  /** Why revenue was lost, the most first. */
  lost: z.array(z.strictObject({ cause: z.enum(movementCauses), arr: z.int(), count: z.int() })),
  reasons: z.array(z.strictObject({ reason: z.enum(leaveReasons), arr: z.int(), count: z.int() })),
  /** By month of first payment, newest first: how many there were, and how many paid at the end of each month since. */
  cohorts: z.array(z.strictObject({ month: month(z), joined: z.int(), stayed: z.array(sum(z)) })),
  /** Newest first. */
  cash: z.array(z.strictObject({ month: month(z), paid: z.int(), tax: z.int(), refunded: z.int(), lost: z.int() })),
  /** The last comparison with Stripe's own list of subscriptions. */
  proof: z.nullable(
    z.strictObject({
      at: instant(z),
      compared: z.int(),
      atStripe: z.int(),
      here: z.int(),
      elsewhere: z.int(),
      differing: z.int(),
      differences: z.array(
        z.strictObject({ subscriptionId: z.string(), atStripe: z.int(), here: z.int(), userId: z.nullable(id(z)) }),
      ),
    }),
  ),
}))
export type ShownFigures = InferOutput<typeof shown>

export const figures = {
  adminShow: endpoint('GET /api/admin/figures', {
    summary: 'What moved the recurring revenue, who stayed, why people left, and the cash of each month',
    input: object((z) => ({ range: z.optional(z.enum(ranges)) })),
    output: shown,
  }),
  adminMovements: endpoint('GET /api/admin/figures/movements', {
    summary: 'What moved the recurring revenue, and who; newest first',
    input: object((z) => ({
      ...paging(z),
      kind: z.optional(z.enum(movementKinds)),
      cause: z.optional(z.enum(movementCauses)),
      reason: z.optional(z.enum(leaveReasons)),
      month: z.optional(month(z)),
      range: z.optional(z.enum(ranges)),
    })),
    output: (z) => z.array(movement(z)),
    answer: 'list',
  }),
  adminPayments: endpoint('GET /api/admin/payments', {
    summary: 'Every payment, refund and lost dispute, newest first',
    input: object((z) => ({
      ...paging(z),
      q: optionalText(z, 100),
      kind: z.optional(z.enum(paymentKinds)),
      period: z.optional(period(z)),
    })),
    output: (z) => z.array(payment(z)),
    answer: 'list',
  }),
  adminExportPayments: endpoint('GET /api/admin/payments/export', {
    fresh: true,
    summary: 'Payments, refunds and lost disputes as a CSV file, all of them or those of a month or a year',
    input: object((z) => ({ period: z.optional(period(z)) })),
    answer: 'csv',
  }),
}
