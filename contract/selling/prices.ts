import * as z from 'zod/mini'
import { endpoint, type ParsedInputOf } from '../endpoint.ts'
import { billingType, cents, firstDay, id, instant } from '../fields.ts'
import { productStates } from './product.ts'

const publication = z.object({
  number: z.int(),
  amount: cents,
  regularAmount: z.nullable(cents),
  /** Null for the first price, which comes from the product's file. */
  startsAt: z.nullable(instant),
  state: z.enum(['planned', 'current', 'past', 'called off']),
})
export type Publication = z.infer<typeof publication>

const plan = z.object({
  productId: id,
  product: z.string(),
  billingType,
  /** Newest first; exactly one is current. */
  publications: z.array(publication),
  /** Number of live subscriptions at each price, without purchases booked by hand. */
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
      /** The price starts at the beginning of this day, UTC; without it, now. */
      from: z.optional(firstDay),
      /** Number of the newest publication that the seller saw. If there is a newer one, the call is refused. */
      after: z.int().check(z.minimum(1), z.maximum(1_000_000)),
    }),
  }),
}
export type PublishPriceInput = ParsedInputOf<typeof prices.adminPublish>
