import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, text } from '../fields.ts'

const foundPerson = z.object({ id, name: z.string(), email: z.string(), tradingViewUsername: z.nullable(z.string()) })
export type FoundPerson = z.infer<typeof foundPerson>

export const maxPeopleFound = 20

const searchResult = z.object({ people: z.array(foundPerson), hasMore: z.boolean() })
export type SearchResult = z.infer<typeof searchResult>

export const search = {
  adminFind: endpoint('GET /api/admin/search', {
    access: 'customers.read',
    summary:
      'Customers by words of their name, email and TradingView username, in any order; by contract number, or an id or invoice number of Stripe’s',
    input: z.strictObject({ q: text(100, 'Please type what to look for') }),
    output: searchResult,
  }),
}
