import { endpoint } from '../endpoint.ts'
import { billingType, cents, id, instant } from '../fields.ts'
import { type InferOutput, object, schema } from '../schema.ts'
import { importVerdicts } from '../statuses.ts'

const subscriptionId = schema((z) => z.string().check(z.regex(/^sub_[A-Za-z0-9_]{1,200}$/)))
const priceId = schema((z) => z.string().check(z.regex(/^(price|plan)_[A-Za-z0-9_]{1,200}$/)))

const plan = object((z) => ({ productId: id(z), billingType: billingType(z) }))

const price = object((z) => ({
  id: z.string(),
  name: z.string(),
  amount: cents(z),
  currency: z.string(),
  /** Like `month` or `3 months`. */
  every: z.string(),
  /** The plan's period, if it is one of ours. */
  billingType: z.nullable(billingType(z)),
  /** Null until the seller has said so. */
  plan: z.nullable(plan(z)),
  /** Another shop on the same account sells it. */
  isOther: z.boolean(),
}))
export type PriceAtStripe = InferOutput<typeof price>

const subscription = object((z) => ({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  priceId: z.string(),
  /** Stripe's own word. */
  status: z.string(),
  amount: cents(z),
  currency: z.string(),
  startedAt: instant(z),
  periodEnd: instant(z),
  ends: z.boolean(),
  /** Why it cannot be taken over, if that is plain already. */
  obstacle: z.nullable(z.string()),
}))
export type SubscriptionAtStripe = InferOutput<typeof subscription>

/** Each is read from Stripe with its whole history. */
export const mostTakenOver = 10

export const takeover = {
  adminList: endpoint('GET /api/admin/stripe-subscriptions', {
    summary: 'Every live subscription at Stripe that the shop does not know',
    output: object((z) => ({ prices: z.array(price(z)), subscriptions: z.array(subscription(z)) })),
  }),
  adminSetPlan: endpoint('POST /api/admin/stripe-prices/:id/plan', {
    summary: 'Say which plan a price of Stripe’s is, or that another shop sells it; kept with the price at Stripe',
    input: object((z) => ({ id: priceId(z), plan: z.nullable(plan(z)) })),
  }),
  adminTakeOver: endpoint('POST /api/admin/stripe-subscriptions', {
    summary: 'Take over subscriptions as they are; nothing is charged, and those taken over already are left alone',
    input: object((z) => ({
      ids: z.array(subscriptionId(z)).check(z.minLength(1), z.maxLength(mostTakenOver)),
      invite: z.boolean(),
    })),
    output: (z) => z.array(z.strictObject({ id: z.string(), verdict: z.enum(importVerdicts), message: z.string() })),
  }),
}
