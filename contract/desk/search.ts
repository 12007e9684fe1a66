import { endpoint } from '../endpoint.ts'
import { id, text } from '../fields.ts'
import { type InferOutput, object } from '../schema.ts'

const hit = object((z) => ({
  id: id(z),
  name: z.string(),
  email: z.string(),
  tradingViewUsername: z.nullable(z.string()),
}))
export type Hit = InferOutput<typeof hit>

export const mostPeopleFound = 20

const found = object((z) => ({ people: z.array(hit(z)), hasMore: z.boolean() }))
export type Found = InferOutput<typeof found>

export const search = {
  adminFind: endpoint('GET /api/admin/search', {
    access: 'staff',
    summary:
      'Customers by words of their name, email and TradingView username, in any order; by contract number, or an id or invoice number of Stripe’s',
    input: object((z) => ({ q: text(z, 100, 'Please type what to look for') })),
    output: found,
  }),
}
