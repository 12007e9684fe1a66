import { endpoint } from '../endpoint.ts'
import { email, line, optionalText, text } from '../fields.ts'
import { object, schema } from '../schema.ts'

export const contact = {
  send: endpoint('POST /api/contact', {
    access: 'public',
    caller: 'optional',
    summary: 'Send the seller a message',
    input: object((z) => ({
      firstName: line(z, 100, 'Please enter your first name'),
      lastName: line(z, 100, 'Please enter your last name'),
      email: email(z),
      message: text(z, 5000, 'Please enter a message'),
      /** A honeypot: people never see this field, so anything in it came from a bot. */
      website: optionalText(z, 200),
    })),
    limit: { requests: 5, seconds: 600 },
  }),
}

export const wrongAnswer = 'Please answer the security question correctly.'

/** The contact form also asks what 5 + 3 is. */
export const contactForm = schema((z) =>
  z.extend(contact.send.input(z), { answer: z.string(wrongAnswer).check(z.trim(), z.regex(/^8$/, wrongAnswer)) }),
)
