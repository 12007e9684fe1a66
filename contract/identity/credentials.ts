import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, existingPassword, mailedLink, signUpPassword } from '../fields.ts'

const linkCall = { access: 'public', limit: { requests: 20, seconds: 60 }, input: mailedLink } as const

export const credentials = {
  changePassword: endpoint('POST /api/user/password', {
    fresh: 'or password',
    summary: 'Change my password; every other device is logged out',
    limit: { requests: 20, seconds: 60 },
    input: z.strictObject({ currentPassword: existingPassword, newPassword: signUpPassword }),
  }),
  changeEmail: endpoint('POST /api/user/email', {
    fresh: true,
    summary: 'Email a link to my new address; it counts once the link was used',
    limit: { requests: 10, seconds: 900 },
    input: z.strictObject({ email }),
  }),
  confirmEmail: endpoint('POST /api/user/email/confirm', {
    ...linkCall,
    caller: 'optional',
    duringFactorSetup: true,
    summary: 'Confirm a new address with the emailed link, in a browser in which the account is logged in',
  }),
  undoEmail: endpoint('POST /api/user/email/undo', {
    ...linkCall,
    summary: 'Take back a change of address within 72 hours, with the link emailed to the old one',
  }),
  logoutElsewhere: endpoint('POST /api/user/logout-elsewhere', { summary: 'Log out every device but this one' }),
}
