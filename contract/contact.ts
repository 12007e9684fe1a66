import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'
import { email, optionalText, text } from './fields.ts'

export const contact = {
  send: endpoint({
    method: 'POST',
    path: '/api/contact',
    access: 'public',
    summary: 'Write to the seller',
    input: z.strictObject({
      firstName: text(100, 'Please enter your first name'),
      lastName: text(100, 'Please enter your last name'),
      email,
      message: text(5000, 'Please enter a message'),
      /** A field that people do not see: whoever fills it is a machine. */
      website: optionalText(200),
    }),
    output: nothing,
    limit: { requests: 5, seconds: 600 },
  }),
}
