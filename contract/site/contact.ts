import { endpoint, nothing } from '../endpoint.ts'
import { email, line, optionalText, text } from '../fields.ts'

export const contact = {
  send: endpoint({
    method: 'POST',
    path: '/api/contact',
    access: 'public',
    caller: 'optional',
    summary: 'Send the seller a message',
    input: (z) =>
      z.strictObject({
        firstName: line(z, 100, 'Please enter your first name'),
        lastName: line(z, 100, 'Please enter your last name'),
        email: email(z),
        message: text(z, 5000, 'Please enter a message'),
        /** A honeypot: people never see this field, so anything in it came from a bot. */
        website: optionalText(z, 200),
      }),
    output: nothing,
    limit: { requests: 5, seconds: 600 },
  }),
}
