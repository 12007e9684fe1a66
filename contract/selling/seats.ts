import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { email, whichProduct } from '../fields.ts'

export const seats = {
  show: endpoint('GET /api/seats', {
    access: 'public',
    summary: 'Whether there is a seat, and how many are taken if the seller shows it',
    input: whichProduct,
    output: z.object({ isSoldOut: z.boolean(), shown: z.object({ taken: z.int(), limit: z.int() }).nullable() }),
  }),
  join: endpoint('POST /api/waitlist', {
    access: 'public',
    summary: 'Tell me when a seat is free',
    input: whichProduct.extend({ email }),
    limit: { requests: 5, seconds: 600 },
  }),
}
