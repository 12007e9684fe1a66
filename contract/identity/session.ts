import { endpoint } from '../endpoint.ts'
import { id, instant } from '../fields.ts'
import { roles } from '../roles.ts'
import { type InferOutput, object } from '../schema.ts'

export const user = object((z) => ({
  id: id(z),
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  role: z.nullable(z.enum(roles)),
  /** Whether an emailed link has shown that the address is theirs. */
  isProven: z.boolean(),
  /** Where a second step is required and this session had none. */
  mustSetUp: z.optional(z.boolean()),
  createdAt: instant(z),
}))
export type User = InferOutput<typeof user>

/** The part of the accounts that every page asks for. */
export const session = {
  user: endpoint('GET /api/user', {
    access: 'public',
    caller: 'optional',
    whileSettingUp: true,
    summary: 'The current user, or null',
    output: (z) => z.nullable(user(z)),
  }),
  logout: endpoint('POST /api/logout', {
    access: 'public',
    summary: 'End this session',
  }),
}
