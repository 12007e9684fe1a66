import { endpoint, nothing } from '../endpoint.ts'
import { mailedLink } from '../fields.ts'
import { user } from './accounts.ts'
import { passkeyMessage, passkeyResponse, typedCode } from './factors.ts'

const open = { access: 'public', limit: { requests: 20, seconds: 60 } } as const
const byLink = { ...open, method: 'POST', input: mailedLink, output: nothing } as const

/** Logging in with more than a password, or without one. `accounts.login` comes first where there is a password. */
export const logins = {
  withCode: endpoint({
    ...open,
    method: 'POST',
    path: '/api/login/code',
    summary: 'Complete a login with a code from the app, or with a recovery code',
    input: (z) => z.strictObject({ code: typedCode(z) }),
    output: user,
  }),
  passkeyOptions: endpoint({
    ...open,
    method: 'GET',
    path: '/api/auth/passkey/options',
    summary: 'What the browser needs to ask for a passkey; the same for everyone',
    limit: { requests: 60, seconds: 60 },
    input: nothing,
    output: passkeyMessage,
  }),
  withPasskey: endpoint({
    ...open,
    method: 'POST',
    path: '/api/auth/passkey',
    summary: 'Log in with a passkey',
    input: (z) => z.strictObject({ response: passkeyResponse(z) }),
    output: user,
  }),
  lostDevice: endpoint({
    ...open,
    method: 'POST',
    path: '/api/login/lost-device',
    summary: 'After the password, without a device or a code: have the second step removed, after 72 hours',
    limit: { requests: 10, seconds: 900 },
    input: nothing,
    output: nothing,
  }),
  stopReset: endpoint({
    ...byLink,
    path: '/api/login/lost-device/stop',
    summary: 'Keep the second step after all, with an emailed link',
  }),
  finishReset: endpoint({
    ...byLink,
    path: '/api/login/lost-device/finish',
    summary: 'Remove the second step at the end of the wait, with an emailed link',
  }),
}
