import * as z from 'zod/mini'
import { endpoint, type OutputOf } from '../endpoint.ts'
import { person } from '../fields.ts'

/** Account calls that every page needs. */
export const session = {
  user: endpoint('GET /api/user', {
    access: 'public',
    caller: 'optional',
    duringFactorSetup: true,
    summary: 'The current user, or null',
    output: z.nullable(person),
  }),
  logout: endpoint('POST /api/logout', { access: 'public', summary: 'End this session' }),
}

export type User = NonNullable<OutputOf<typeof session.user>>
