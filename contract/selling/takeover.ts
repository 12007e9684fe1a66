import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { billingType, cents, id, instant } from '../fields.ts'
import { importVerdicts } from '../statuses.ts'

const subscriptionId = z.string().check(z.regex(/^sub_[A-Za-z0-9_]{1,200}$/))
const priceId = z.string().check(z.regex(/^(price|plan)_[A-Za-z0-9_]{1,200}$/))

const plan = z.strictObject({ productId: id, billingType })

const price = z.object({
  id: z.string(),
  name: z.string(),
  amount: cents,
  currency: z.string(),
  /** Like `month` or `3 months`. */
  every: z.string(),
  /** Plan with the same period; null if there is none. */
  billingType: z.nullable(billingType),
  /** Null until the seller has matched the price to a plan. */
  plan: z.nullable(plan),
  /** True if another shop on the same Stripe account sells it. */
  isOther: z.boolean(),
})
export type PriceAtStripe = z.infer<typeof price>

const subscription = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  priceId: z.string(),
  /** Stripe's status. */
  status: z.string(),
  amount: cents,
  currency: z.string(),
  startedAt: instant,
  periodEnd: instant,
  isEnding: z.boolean(),
  /** Why the subscription cannot be taken over; null if no reason is known yet. */
  obstacle: z.nullable(z.string()),
})
export type SubscriptionAtStripe = z.infer<typeof subscription>

/** Limit for each call: every subscription is read from Stripe with its whole history. */
export const maxTakeovers = 10

export const takeover = {
  adminList: endpoint('GET /api/admin/stripe-subscriptions', {
    access: 'purchases.manage',
    summary: 'Every live subscription at Stripe that the shop does not know',
    output: z.object({ prices: z.array(price), subscriptions: z.array(subscription) }),
  }),
  adminSetPlan: endpoint('POST /api/admin/stripe-prices/:id/plan', {
    access: 'purchases.manage',
    summary: 'Say which plan a price of Stripe’s is, or that another shop sells it; kept with the price at Stripe',
    input: z.strictObject({
      id: priceId,
      /** Null if another shop sells it. */
      plan: z.nullable(plan),
    }),
  }),
  adminTakeOver: endpoint('POST /api/admin/stripe-subscriptions', {
    access: 'purchases.manage',
    summary: 'Take over subscriptions as they are; nothing is charged, and those taken over already are left alone',
    input: z.strictObject({
      ids: z.array(subscriptionId).check(z.minLength(1), z.maxLength(maxTakeovers)),
      invite: z.boolean(),
    }),
    output: z.array(z.object({ id: z.string(), verdict: z.enum(importVerdicts), message: z.string() })),
  }),
}
