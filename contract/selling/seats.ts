import { endpoint } from '../endpoint.ts'
import { email, whichProduct } from '../fields.ts'
import { object } from '../schema.ts'

export const seats = {
  show: endpoint('GET /api/seats', {
    access: 'public',
    summary: 'Whether there is a seat, and how many are taken if the seller shows it',
    input: whichProduct,
    output: object((z) => ({
      isSoldOut: z.boolean(),
      shown: z.nullable(z.strictObject({ taken: z.int(), limit: z.int() })),
    })),
  }),
  join: endpoint('POST /api/waitlist', {
    access: 'public',
    summary: 'Tell me when a seat is free',
    input: (z) => z.extend(whichProduct(z), { email: email(z) }),
    limit: { requests: 5, seconds: 600 },
  }),
}
