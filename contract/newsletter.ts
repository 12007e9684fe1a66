import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'
import { email } from './fields.ts'

export const newsletter = {
  subscribe: endpoint({
    method: 'POST',
    path: '/api/newsletter/subscribe',
    access: 'public',
    summary: 'Ask for the newsletter; a mail asks to confirm',
    input: z.strictObject({ email }),
    output: nothing,
  }),
}
