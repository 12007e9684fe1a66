import { endpoint, nothing } from './endpoint.ts'
import { email, givenPassword, mailedLink, signUpPassword } from './fields.ts'

/** Changing what one logs in with, and where one stays logged in. */
export const credentials = {
  changePassword: endpoint({
    method: 'POST',
    path: '/api/user/password',
    access: 'user',
    fresh: true,
    summary: 'Change my password; every other device is logged out',
    limit: { requests: 20, seconds: 60 },
    input: (z) => z.strictObject({ currentPassword: givenPassword(z), newPassword: signUpPassword(z) }),
    output: nothing,
  }),
  changeEmail: endpoint({
    method: 'POST',
    path: '/api/user/email',
    access: 'user',
    fresh: true,
    summary: 'Email a link to my new address; it counts once the link was used',
    limit: { requests: 10, seconds: 900 },
    input: (z) => z.strictObject({ email: email(z) }),
    output: nothing,
  }),
  confirmEmail: endpoint({
    method: 'POST',
    path: '/api/user/email/confirm',
    access: 'public',
    summary: 'Confirm a new address, with the link emailed to it',
    limit: { requests: 20, seconds: 60 },
    input: mailedLink,
    output: nothing,
  }),
  undoEmail: endpoint({
    method: 'POST',
    path: '/api/user/email/undo',
    access: 'public',
    summary: 'Take back a change of address within 72 hours, with the link emailed to the old one',
    limit: { requests: 20, seconds: 60 },
    input: mailedLink,
    output: nothing,
  }),
  logoutElsewhere: endpoint({
    method: 'POST',
    path: '/api/user/logout-elsewhere',
    access: 'user',
    summary: 'Log out every device but this one',
    input: nothing,
    output: nothing,
  }),
}
