import { endpoint, nothing } from './endpoint.ts'
import { type InferOutput, schema } from './schema.ts'

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
    /** Subscriptions with an unpaid renewal. Capped at 10,000. */
    failedPayments: z.int(),
    /** Capped at 10,000. */
    openAccessRequests: z.int(),
    overdueAccessRequests: z.int(),
  }),
)

export const overview = {
  adminShow: endpoint({
    method: 'GET',
    path: '/api/admin/overview',
    access: 'admin',
    summary: 'How the shop is doing, now and over the last twelve months',
    input: nothing,
    output: overviewFigures,
  }),
}
