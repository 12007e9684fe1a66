import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, mailedLink, opaqueText, person, shopPath } from '../fields.ts'
import { passkeyMessage, passkeyResponse, typedCode } from './factors.ts'

const publicCall = { access: 'public', limit: { requests: 20, seconds: 60 } } as const
const linkCall = { ...publicCall, input: mailedLink } as const

export const logins = {
  withCode: endpoint('POST /api/login/code', {
    ...publicCall,
    summary: 'Complete a login with a code from the app, or with a recovery code',
    input: z.strictObject({ code: typedCode }),
    output: person,
  }),
  requestLink: endpoint('POST /api/auth/request-login-link', {
    ...publicCall,
    summary: 'Email a login link; the answer is the same whether or not the account exists',
    limit: { requests: 10, seconds: 900 },
    input: z.strictObject({ email, returnPath: z.optional(shopPath) }),
    output: z.object({ message: z.string() }),
  }),
  withLink: endpoint('POST /api/auth/login-link', {
    ...publicCall,
    caller: 'optional',
    summary: 'Log in with an emailed link',
    limit: { requests: 20, seconds: 900 },
    input: z.strictObject({ token: opaqueText(200, 'Invalid login link') }),
    output: person,
  }),
  passkeyOptions: endpoint('GET /api/auth/passkey/options', {
    ...publicCall,
    summary: 'What the browser needs to ask for a passkey; the same for everyone',
    limit: { requests: 60, seconds: 60 },
    output: passkeyMessage,
  }),
  withPasskey: endpoint('POST /api/auth/passkey', {
    ...publicCall,
    summary: 'Log in with a passkey',
    input: z.strictObject({ response: passkeyResponse }),
    output: person,
  }),
  lostDevice: endpoint('POST /api/login/lost-device', {
    ...publicCall,
    summary: 'After the password, without a device or a code: have the second step removed, after 72 hours',
    limit: { requests: 10, seconds: 900 },
  }),
  stopReset: endpoint('POST /api/login/lost-device/stop', {
    ...linkCall,
    summary: 'Keep the second step after all, with an emailed link',
  }),
  finishReset: endpoint('POST /api/login/lost-device/finish', {
    ...linkCall,
    summary: 'Remove the second step at the end of the wait, with an emailed link',
  }),
}
