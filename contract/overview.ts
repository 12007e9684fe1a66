import { endpoint, nothing } from './endpoint.ts'
import { type InferOutput, schema } from './schema.ts'

const month = schema((z) =>
  z.strictObject({
    /** Like 2026-03. */
    month: z.string(),
    /** Monthly recurring revenue at its end, in cents: a yearly subscription counts a twelfth. */
    revenue: z.int(),
    /** Subscriptions that give access at its end. */
    active: z.int(),
    begun: z.int(),
    lost: z.int(),
    /** Lost of those there were at its beginning, in per cent; null when there were none. */
    churn: z.nullable(z.number()),
  }),
)
export type OverviewMonth = InferOutput<typeof month>

const overviewFigures = schema((z) =>
  z.strictObject({
    /** The last twelve, the present one at the end. */
    months: z.array(month(z)),
    /** Subscriptions with an unpaid renewal. Counting ends at 10,000. */
    failedPayments: z.int(),
    /** Counting ends at 10,000. */
    openAccessRequests: z.int(),
    overdueAccessRequests: z.int(),
  }),
)

export const overview = {
  adminShow: endpoint({
    method: 'GET',
    path: '/api/admin/overview',
    access: 'admin',
    summary: 'How the shop is doing, now and over twelve months',
    input: nothing,
    output: overviewFigures,
  }),
}
