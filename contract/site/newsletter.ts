import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, mailedLink } from '../fields.ts'

/** Version of the consent wording in the sign-up form and its email. Raise it when either changes. */
export const newsletterVersion = '2026-11-17'

export const newsletter = {
  subscribe: endpoint('POST /api/newsletter/subscribe', {
    access: 'public',
    summary: 'Sign up for the newsletter; an email asks to confirm',
    input: z.strictObject({ email }),
    limit: { requests: 10, seconds: 600 },
  }),
  confirm: endpoint('POST /api/newsletter/confirm', {
    access: 'public',
    summary: 'Confirm a newsletter sign-up with the emailed link',
    input: mailedLink,
  }),
  unsubscribe: endpoint('POST /api/newsletter/unsubscribe', {
    access: 'public',
    summary: 'Unsubscribe with the link in any newsletter email',
    input: mailedLink,
  }),
}
