import { endpoint, nothing } from './endpoint.ts'
import { email } from './fields.ts'
import { schema } from './schema.ts'

const invalid = 'This link is not valid'
/** The two parts of a mailed link. */
const link = schema((z) =>
  z.strictObject({
    id: z.uuid(invalid),
    token: z.string(invalid).check(z.maxLength(100, invalid)),
  }),
)

export const newsletter = {
  subscribe: endpoint({
    method: 'POST',
    path: '/api/newsletter/subscribe',
    access: 'public',
    summary: 'Ask for the newsletter; a mail asks to confirm',
    input: (z) => z.strictObject({ email: email(z) }),
    output: nothing,
    limit: { requests: 10, seconds: 600 },
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/newsletter/confirm',
    access: 'public',
    summary: 'Confirm the newsletter with the mailed link',
    input: link,
    output: nothing,
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/api/newsletter/unsubscribe',
    access: 'public',
    summary: 'Leave the newsletter with the link of any of its mails',
    input: link,
    output: nothing,
  }),
}
