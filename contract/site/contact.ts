import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, line, optionalText, text } from '../fields.ts'

export const contact = {
  send: endpoint('POST /api/contact', {
    access: 'public',
    caller: 'optional',
    summary: 'Send the seller a message',
    input: z.strictObject({
      firstName: line(100, 'Please enter your first name'),
      lastName: line(100, 'Please enter your last name'),
      email,
      message: text(5000, 'Please enter a message'),
      /** Honeypot: people never see this field, so any value came from a bot. */
      website: optionalText(200),
    }),
    limit: { requests: 5, seconds: 600 },
  }),
}

export const wrongAnswer = 'Please answer the security question correctly.'

export const contactForm = z.extend(contact.send.input, {
  answer: z.string(wrongAnswer).check(z.trim(), z.regex(/^8$/, wrongAnswer)),
})
