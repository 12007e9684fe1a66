import * as z from 'zod/mini'
import { endpoint, type ParsedInputOf } from '../endpoint.ts'
import { billingType, cents, day, id, instant } from '../fields.ts'
import { productStates } from './product.ts'

const publication = z.object({
  number: z.int(),
  amount: cents,
  regularAmount: z.nullable(cents),
  /** Null for the first one, which the product's file set. */
  startsAt: z.nullable(instant),
  state: z.enum(['planned', 'current', 'past', 'called off']),
})
export type Publication = z.infer<typeof publication>

const plan = z.object({
  productId: id,
  product: z.string(),
  billingType,
  /** Newest first; one of them is current. */
  publications: z.array(publication),
  /** How many running subscriptions pay what, gifts and those paid elsewhere left out. */
  subscriptions: z.array(z.object({ amount: cents, count: z.int() })),
})
export type PricedPlan = z.infer<typeof plan>

export const prices = {
  adminProducts: endpoint('GET /api/admin/products', {
    access: 'offer.write',
    summary: 'Every product that has a file, on sale or not',
    output: z.array(
      z.object({ id, name: z.string(), slug: z.string(), state: z.enum(productStates), list: z.nullable(z.string()) }),
    ),
  }),
  adminList: endpoint('GET /api/admin/prices', {
    access: 'offer.write',
    summary: 'What each plan costs and did cost, and how many subscriptions pay what',
    output: z.array(plan),
  }),
  adminPublish: endpoint('POST /api/admin/prices', {
    access: 'offer.write',
    summary: 'Publish a price for new subscriptions; running ones keep theirs',
    input: z.strictObject({
      productId: id,
      billingType,
      amount: cents.check(z.minimum(100, 'Please enter $1.00 or more')),
      regularAmount: z.optional(cents),
      /** From the beginning of that day, UTC; from now on, if left out. */
      from: z.optional(day),
      /** The newest publication that the seller saw: if there is another one by now, nothing is published. */
      after: z.int().check(z.minimum(1), z.maximum(1_000_000)),
    }),
  }),
}
export type PublishPriceInput = ParsedInputOf<typeof prices.adminPublish>
