import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import {
  email,
  existingPassword,
  id,
  instant,
  opaqueText,
  optionalText,
  person,
  resetPassword,
  signUpPassword,
} from '../fields.ts'
import { optionalName, personName } from '../person-name.ts'
import { usernameRateLimit } from '../tradingview-name.ts'
import { session } from './session.ts'

const mailedToken = opaqueText(200, 'Invalid reset link')

const message = z.object({ message: z.string() })

const device = z.object({
  id,
  userAgent: z.string(),
  ip: z.string(),
  createdAt: instant,
  lastUsedAt: instant,
  isCurrent: z.boolean(),
})
export type Device = z.infer<typeof device>

export const accounts = {
  ...session,
  login: endpoint('POST /api/login', {
    access: 'public',
    summary: 'Log in with email and password',
    limit: { requests: 20, seconds: 60 },
    input: z.strictObject({ email, password: existingPassword }),
    output: person,
  }),
  loginPage: endpoint('GET /api/login', {
    access: 'public',
    summary: 'Where logged-out visitors are sent; always redirects to /auth',
    // The query is ignored.
    input: z.object({}),
    answer: 'redirect',
  }),
  register: endpoint('POST /api/register', {
    access: 'public',
    summary: 'Create an account and log in',
    limit: { requests: 20, seconds: 3600 },
    input: z.strictObject({ email, password: signUpPassword, name: personName }),
    output: person,
  }),
  requestPasswordReset: endpoint('POST /api/auth/request-password-reset', {
    access: 'public',
    summary: 'Email a reset link; the answer is the same whether or not the account exists',
    limit: { requests: 10, seconds: 900 },
    input: z.strictObject({ email }),
    output: message,
  }),
  resetPassword: endpoint('POST /api/auth/reset-password', {
    access: 'public',
    caller: 'optional',
    duringFactorSetup: true,
    summary: 'Set a new password with an emailed token',
    limit: { requests: 20, seconds: 900 },
    input: z.strictObject({ token: mailedToken, newPassword: resetPassword }),
  }),
  checkResetLink: endpoint('POST /api/auth/check-reset-link', {
    access: 'public',
    duringFactorSetup: true,
    summary: 'Whose password an emailed token sets; refused if the link no longer works',
    limit: { requests: 60, seconds: 900 },
    input: z.strictObject({ token: mailedToken }),
    output: z.object({ email: z.string() }),
  }),
  sendConfirmation: endpoint('POST /api/user/confirmation', {
    duringFactorSetup: true,
    summary: 'Email me a link that confirms my address; nothing happens if it is confirmed',
    limit: { requests: 10, seconds: 900 },
  }),
  confirmAddress: endpoint('POST /api/auth/confirm-address', {
    access: 'public',
    caller: 'optional',
    duringFactorSetup: true,
    summary: 'Confirm the address of an account with an emailed token, in a browser that is logged in to it',
    limit: { requests: 20, seconds: 60 },
    input: z.strictObject({ token: mailedToken }),
    output: z.object({
      /** True if this browser is not logged in to the account; the same token then sets a new password (`resetPassword`). */
      choosePassword: z.boolean(),
    }),
  }),
  updateProfile: endpoint('PATCH /api/user/profile', {
    summary: 'Change my name and TradingView username',
    // An empty value clears the field.
    input: z.strictObject({ name: optionalName, tradingViewUsername: optionalText(100) }),
    limit: usernameRateLimit,
  }),
  profile: endpoint('GET /api/user/profile', {
    summary: 'Initial values for the profile form',
    output: z.object({
      name: z.string(),
      tradingViewUsername: z.string(),
      email: z.string(),
      /** False for a guest who hasn't chosen a password yet. */
      hasPassword: z.boolean(),
    }),
  }),
  devices: endpoint('GET /api/user/devices', {
    summary: 'Where I’m logged in, most recent first',
    output: z.array(device),
  }),
  logoutDevice: endpoint('DELETE /api/user/devices/:id', { summary: 'Log out one device' }),
  logoutEverywhere: endpoint('POST /api/user/logout-everywhere', {
    summary: 'Log out every device, including this one',
  }),
  myData: endpoint('GET /api/user/data', {
    summary: 'Everything the shop keeps about me',
    limit: { requests: 20, seconds: 60 },
    output: z.record(z.string(), z.unknown()),
  }),
  deleteMyself: endpoint('POST /api/user/delete', {
    fresh: 'or password',
    summary: 'Delete my account: personal data is anonymized, the books stay',
    limit: { requests: 20, seconds: 60 },
    input: z.strictObject({ password: existingPassword }),
  }),
}
