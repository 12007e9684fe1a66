import { endpoint, type ParsedInputOf } from '../endpoint.ts'
import { billingType, cents, day, id, instant } from '../fields.ts'
import { type InferOutput, object } from '../schema.ts'
import { productStates } from './product.ts'

const publication = object((z) => ({
  number: z.int(),
  amount: cents(z),
  regularAmount: z.nullable(cents(z)),
  /** Null for the first one, which the product's file set. */
  startsAt: z.nullable(instant(z)),
  state: z.enum(['planned', 'current', 'past', 'called off']),
}))
export type Publication = InferOutput<typeof publication>

const plan = object((z) => ({
  productId: id(z),
  product: z.string(),
  billingType: billingType(z),
  /** Newest first; one of them is current. */
  publications: z.array(publication(z)),
  /** How many running subscriptions pay what, gifts and those paid elsewhere left out. */
  subscriptions: z.array(z.strictObject({ amount: cents(z), count: z.int() })),
}))
export type Plan = InferOutput<typeof plan>

export const prices = {
  adminProducts: endpoint('GET /api/admin/products', {
    summary: 'Every product that has a file, on sale or not',
    output: (z) =>
      z.array(
        z.strictObject({
          id: id(z),
          name: z.string(),
          slug: z.string(),
          state: z.enum(productStates),
          list: z.nullable(z.string()),
        }),
      ),
  }),
  adminList: endpoint('GET /api/admin/prices', {
    summary: 'What each plan costs and did cost, and how many subscriptions pay what',
    output: (z) => z.array(plan(z)),
  }),
  adminPublish: endpoint('POST /api/admin/prices', {
    summary: 'Publish a price for new subscriptions; running ones keep theirs',
    input: object((z) => ({
      productId: id(z),
      billingType: billingType(z),
      amount: cents(z).check(z.minimum(100, 'Please enter $1.00 or more')),
      regularAmount: z.optional(cents(z)),
      /** From the beginning of that day, UTC; from now on, if left out. */
      from: z.optional(day(z)),
      /** The newest publication that the seller saw: if there is another one by now, nothing is published. */
      after: z.int().check(z.minimum(1), z.maximum(1_000_000)),
    })),
  }),
}
export type Wish = ParsedInputOf<typeof prices.adminPublish>
