import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, month, opaqueText, pageFields } from '../fields.ts'

/** Whole cents in the settlement currency of the Stripe account; negative for outgoing money. */
const settledAmount = z.object({ amount: z.int(), fee: z.int(), net: z.int(), currency: z.string() })

const payout = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  /** Stripe's status: paid, pending, in_transit, canceled or failed. */
  status: z.string(),
  arrivesAt: instant,
  /** Number of lines that Stripe lists; null for manual payouts, for which Stripe lists none. */
  lines: z.nullable(z.int()),
  /** The payout's amount less the sum of its lines; 0 unless something is missing. */
  difference: z.int(),
  failure: z.nullable(z.string()),
})
export type AdminPayout = z.infer<typeof payout>

const line = z.object({
  id: z.string(),
  at: instant,
  /** Stripe's `reporting_category`, such as charge, refund, dispute or fee. */
  category: z.string(),
  invoiceNumber: z.nullable(z.string()),
  description: z.nullable(z.string()),
  exchangeRate: z.nullable(z.number()),
  settled: settledAmount,
})
export type AdminPayoutLine = z.infer<typeof line>

const monthSums = z.object({
  gross: z.int(),
  refunds: z.int(),
  disputes: z.int(),
  /** Stripe's fees, as a positive number. */
  fees: z.int(),
  net: z.int(),
})

const bookedMonth = z.object({
  month,
  /** In the currency of the charges. */
  charged: monthSums,
  settled: z.extend(monthSums, {
    currency: z.string(),
    /** Balance changes without a payment of this shop: other fees, transfers, other shops on the account. */
    other: z.int(),
    paidOut: z.int(),
  }),
})
export type BookedMonth = z.infer<typeof bookedMonth>

const taxLine = z.object({
  kind: z.enum(['sale', 'credit']),
  country: z.nullable(z.string()),
  region: z.nullable(z.string()),
  /** Percentage; 0 under reverse charge, null without tax. */
  rate: z.nullable(z.number()),
  /** Month of the sale that a credit refers to. */
  originalMonth: z.nullable(month),
  count: z.int(),
  net: z.int(),
  tax: z.int(),
  gross: z.int(),
})
export type TaxLine = z.infer<typeof taxLine>

const taxPeriod = z
  .string()
  .check(z.regex(/^20\d\d-(0[1-9]|1[0-2]|Q[1-4])$/, 'Please enter a month like 2026-03, or a quarter like 2026-Q1'))

/** Euros for one US dollar. */
const euroRate = z.optional(
  z.coerce
    .number('Please enter a rate like 0.92')
    .check(z.minimum(0.0001, 'Please enter a rate like 0.92'), z.maximum(10_000, 'Please enter a rate like 0.92')),
)

/** These calls read a copy of Stripe's balance, which a job updates every hour. */
export const bookkeeping = {
  adminPayouts: endpoint('GET /api/admin/payouts', {
    access: 'payments.read',
    summary: 'Every payout to the seller’s bank account, newest first',
    input: z.strictObject(pageFields),
    output: z.array(payout),
    answer: 'list',
  }),
  adminPayoutLines: endpoint('GET /api/admin/payouts/:id', {
    access: 'payments.read',
    summary: 'What is in a payout, line by line, newest first',
    input: z.strictObject({ ...pageFields, id: opaqueText(100) }),
    output: z.array(line),
    answer: 'list',
  }),
  adminMonths: endpoint('GET /api/admin/bookkeeping/months', {
    access: 'payments.read',
    summary:
      'Gross, refunds, disputes, fees, net and paid out of the last 24 months, and when the balance was last read',
    output: z.object({
      months: z.array(bookedMonth),
      readAt: z.nullable(instant),
      /** Stripe's reason for not showing the balance, such as a missing permission. */
      fault: z.nullable(z.string()),
    }),
  }),
  adminTaxes: endpoint('GET /api/admin/bookkeeping/taxes', {
    access: 'payments.read',
    summary: 'Sums of tax by country, region and rate for a month or a quarter, sales and credits apart',
    input: z.strictObject({ period: taxPeriod }),
    output: z.array(taxLine),
  }),
  adminExportTaxes: endpoint('GET /api/admin/bookkeeping/taxes/export', {
    access: 'payments.read',
    fresh: true,
    summary: 'The sums of tax as a CSV file, with euros at the rate that is given',
    input: z.strictObject({ period: taxPeriod, euroRate }),
    answer: 'csv',
  }),
  adminExportMonth: endpoint('GET /api/admin/bookkeeping/export', {
    access: 'payments.read',
    fresh: true,
    summary: 'A month for the bookkeeper as a CSV file: every payment, refund, dispute, fee and payout',
    input: z.strictObject({ period: month }),
    answer: 'csv',
  }),
}
