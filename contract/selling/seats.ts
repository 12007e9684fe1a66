import { endpoint, nothing } from '../endpoint.ts'
import { email } from '../fields.ts'

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
