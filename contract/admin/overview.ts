import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, id, instant } from '../fields.ts'
import type { Permission } from '../permissions.ts'
import { movementKinds, type PurchaseNeed, purchaseNeeds, purchaseRisks } from '../statuses.ts'

/** Counts stop here, so that the queries stay cheap. */
export const maxCount = 1000

const month = z.object({
  /** For example, 2026-03. */
  month: z.string(),
  /** Yearly recurring revenue at the month's end, in whole cents. Screens divide it by 12 for the MRR. */
  arr: z.int(),
  /** Paying people at the month's end. */
  paying: z.int(),
  paidWhenItBegan: z.int(),
  /** People who paid when the month began and no longer pay at its end. */
  stopped: z.int(),
  /** Percentage of `stopped` in `paidWhenItBegan`; null if nobody paid then. */
  churn: z.nullable(z.number()),
  movements: z.record(z.enum(movementKinds), z.object({ arr: z.int(), count: z.int() })),
  /** Number of movements that were recorded after the month had ended. */
  late: z.int(),
})
export type OverviewMonth = z.infer<typeof month>

const overviewFigures = z.object({
  /** The last twelve months, ending with the current one. */
  months: z.array(month),
  /** The previous month, up to the same day of the month as today. */
  lastMonthSoFar: month,
  /** Revenue at risk. Counts stop at `maxCount`; `dueAt` is the first deadline. */
  atRisk: z.record(z.enum(purchaseRisks), z.object({ count: z.int(), amount: cents, dueAt: z.nullable(instant) })),
})

/** Kinds of work for the seller. The inbox sorts by deadline; kinds without one follow in this order. */
export const needKinds = [
  'overdue_requests',
  'declarations',
  ...purchaseNeeds,
  'messages',
  'reviews',
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

const purchaseNeedPermissions = Object.fromEntries(purchaseNeeds.map((kind) => [kind, 'money.refund'])) as Record<
  PurchaseNeed,
  Permission
>

/** Permission of the screen where the seller does the work. */
export const needPermissions: Record<NeedKind, Permission> = {
  ...purchaseNeedPermissions,
  overdue_requests: 'access.decide',
  declarations: 'money.refund',
  messages: 'customers.help',
  reviews: 'content.write',
  new_requests: 'access.decide',
  declined_to_end: 'money.refund',
  unscripted_products: 'access.manage',
  access_stuck: 'access.decide',
  access_name_not_found: 'access.decide',
  access_name_taken: 'access.decide',
  access_name_unreadable: 'access.decide',
  access_had_access: 'access.decide',
  access_renamed: 'access.decide',
  to_lock: 'access.decide',
  paused_newsletters: 'content.write',
  unknown_subscriptions: 'purchases.manage',
  revenue_differs: 'figures.read',
  failed_jobs: 'settings.write',
  settings: 'settings.write',
}

const need = z.object({
  kind: z.enum(needKinds),
  /** At most `maxCount`. */
  count: z.int(),
  /** First deadline; null if there is none. */
  dueAt: z.nullable(instant),
})

export type Need = z.infer<typeof need>

const pulseKinds = ['sale', 'cancelled', 'left', 'review', 'message'] as const

/** Something that happened in the last 24 hours. */
const pulseEntry = z.object({
  id: z.string(),
  at: instant,
  kind: z.enum(pulseKinds),
  who: z.string(),
  /** Null without an account. */
  customerId: z.nullable(id),
  amount: z.nullable(cents),
  /** Plan, reason, stars or first words, depending on the kind. */
  detail: z.string(),
})
export type PulseEntry = z.infer<typeof pulseEntry>

export const overview = {
  adminToday: endpoint('GET /api/admin/overview/today', {
    access: 'figures.read',
    summary: 'Sales, cancellations, reviews and messages of the last 24 hours, newest first',
    output: z.array(pulseEntry),
  }),
  adminNeeds: endpoint('GET /api/admin/overview/needs', {
    access: 'customers.read',
    summary: 'What needs the caller now, by deadline; kinds with nothing open are left out',
    output: z.array(need),
  }),
  adminShow: endpoint('GET /api/admin/overview', {
    access: 'figures.read',
    summary: 'How the shop is doing, now and over the last twelve months',
    output: overviewFigures,
  }),
}
