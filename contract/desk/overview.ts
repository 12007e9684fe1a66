import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, instant } from '../fields.ts'
import { movementKinds, purchaseNeeds, purchaseRisks } from '../statuses.ts'

/** Whatever waits is counted up to here: beyond it, the count would cost more than it says. */
export const mostCounted = 1000

const month = z.object({
  /** For example, 2026-03. */
  month: z.string(),
  /** Yearly recurring revenue at its end, in whole cents: a twelfth of it, rounded once when shown, is the MRR. */
  arr: z.int(),
  /** People who pay at its end. */
  paying: z.int(),
  paidWhenItBegan: z.int(),
  /** How many of those who paid when it began no longer pay at its end. */
  stopped: z.int(),
  /** Percentage of `stopped` in `paidWhenItBegan`; null if nobody paid then. */
  churn: z.nullable(z.number()),
  movements: z.record(z.enum(movementKinds), z.object({ arr: z.int(), count: z.int() })),
  /** Movements that were recorded after it was over. */
  late: z.int(),
})
export type OverviewMonth = z.infer<typeof month>

const overviewFigures = z.object({
  /** The last twelve months, ending with the current one. */
  months: z.array(month),
  /** The month before, up to the same day as the current one. */
  lastMonthSoFar: month,
  /** Money that may not come, each up to `mostCounted`, with the day on which the first of them is decided. */
  atRisk: z.record(z.enum(purchaseRisks), z.object({ count: z.int(), amount: cents, dueAt: z.nullable(instant) })),
  /** Up to `mostCounted`. */
  openAccessRequests: z.int(),
  overdueAccessRequests: z.int(),
})

/** What needs the seller, in the order of urgency in which the overview shows it. */
export const needKinds = [
  'overdue_requests',
  'declarations',
  ...purchaseNeeds,
  'messages',
  'new_requests',
  'declined_to_end',
  'unscripted_products',
  'access_stuck',
  'access_name_not_found',
  'access_name_taken',
  'access_name_unreadable',
  'access_had_access',
  'access_renamed',
  'to_lock',
  'paused_newsletters',
  'unknown_subscriptions',
  'revenue_differs',
  'failed_jobs',
  'settings',
] as const
export type NeedKind = (typeof needKinds)[number]

const need = z.object({
  kind: z.enum(needKinds),
  /** Up to `mostCounted`. */
  count: z.int(),
  /** When the first of them is due, if anything is. */
  dueAt: z.nullable(instant),
})

export const overview = {
  adminNeeds: endpoint('GET /api/admin/overview/needs', {
    access: 'figures.read',
    summary: 'What needs the seller now; kinds with nothing open are left out',
    output: z.array(need),
  }),
  adminShow: endpoint('GET /api/admin/overview', {
    access: 'figures.read',
    summary: 'How the shop is doing, now and over the last twelve months',
    output: overviewFigures,
  }),
}
