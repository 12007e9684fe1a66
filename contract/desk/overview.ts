import { endpoint } from '../endpoint.ts'
import { instant } from '../fields.ts'
import { type InferOutput, schema } from '../schema.ts'
import { purchaseNeeds } from '../statuses.ts'

/** Whatever waits is counted up to here: beyond it, the count would cost more than it says. */
export const mostCounted = 1000

const month = schema((z) =>
  z.strictObject({
    /** For example, 2026-03. */
    month: z.string(),
    /** Monthly recurring revenue at the end of the month, in cents; a yearly subscription counts as a twelfth. */
    revenue: z.int(),
    /** Subscriptions with access at the end of the month. */
    active: z.int(),
    begun: z.int(),
    lost: z.int(),
    /** Percentage lost of those there at the start of the month; null if there were none. */
    churn: z.nullable(z.number()),
  }),
)
export type OverviewMonth = InferOutput<typeof month>

const overviewFigures = schema((z) =>
  z.strictObject({
    /** The last twelve months, ending with the current one. */
    months: z.array(month(z)),
    /** Subscriptions with an unpaid renewal, up to `mostCounted`. */
    failedPayments: z.int(),
    /** Up to `mostCounted`. */
    openAccessRequests: z.int(),
    overdueAccessRequests: z.int(),
  }),
)

/** What needs the seller, in the order of urgency in which the overview shows it. */
export const needKinds = [
  'overdue_requests',
  'declarations',
  ...purchaseNeeds,
  'messages',
  'new_requests',
  'to_lock',
  'paused_newsletters',
  'failed_jobs',
  'settings',
] as const
export type NeedKind = (typeof needKinds)[number]

const need = schema((z) =>
  z.strictObject({
    kind: z.enum(needKinds),
    /** Up to `mostCounted`. */
    count: z.int(),
    /** When the first of them is due, if anything is. */
    dueAt: z.nullable(instant(z)),
  }),
)
export type Need = InferOutput<typeof need>

export const overview = {
  adminNeeds: endpoint('GET /api/admin/overview/needs', {
    access: 'admin',
    summary: 'What needs the seller now; kinds with nothing open are left out',
    output: (z) => z.array(need(z)),
  }),
  adminShow: endpoint('GET /api/admin/overview', {
    access: 'admin',
    summary: 'How the shop is doing, now and over the last twelve months',
    output: overviewFigures,
  }),
}
