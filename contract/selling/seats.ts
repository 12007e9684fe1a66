import { endpoint, nothing } from '../endpoint.ts'
import { email } from '../fields.ts'

/** Why a checkout is refused when no seat is free; the page then offers the waiting list. */
export const soldOut = 'All seats are taken at the moment. We can tell you when one is free.'

export const seats = {
  show: endpoint({
    method: 'GET',
    path: '/api/seats',
    access: 'public',
    summary: 'Whether there is a seat, and how many are taken if the seller shows it',
    input: nothing,
    output: (z) =>
      z.strictObject({
        isSoldOut: z.boolean(),
        shown: z.nullable(z.strictObject({ taken: z.int(), limit: z.int() })),
      }),
  }),
  join: endpoint({
    method: 'POST',
    path: '/api/waitlist',
    access: 'public',
    summary: 'Tell me when a seat is free',
    input: (z) => z.strictObject({ email: email(z) }),
    output: nothing,
    limit: { requests: 5, seconds: 600 },
  }),
}
