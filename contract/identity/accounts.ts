import { endpoint } from '../endpoint.ts'
import {
  email,
  givenPassword,
  id,
  instant,
  optionalText,
  paging,
  person,
  resetPassword,
  signUpPassword,
  sort,
} from '../fields.ts'
import { optionalName, personName } from '../person-name.ts'
import { type InferOutput, object, schema } from '../schema.ts'
import { namesPerDay } from '../tradingview-name.ts'
import { session } from './session.ts'

const mailedToken = schema((z) => z.string('Invalid reset link').check(z.maxLength(200, 'Invalid reset link')))

const message = object((z) => ({ message: z.string() }))

const device = object((z) => ({
  id: id(z),
  userAgent: z.string(),
  ip: z.string(),
  createdAt: instant(z),
  lastUsedAt: instant(z),
  isCurrent: z.boolean(),
}))
export type Device = InferOutput<typeof device>

export const accounts = {
  ...session,
  login: endpoint('POST /api/login', {
    access: 'public',
    summary: 'Log in with email and password',
    limit: { requests: 20, seconds: 60 },
    input: object((z) => ({ email: email(z), password: givenPassword(z) })),
    output: person,
  }),
  loginPage: endpoint('GET /api/login', {
    access: 'public',
    summary: 'Where logged-out visitors are sent; always redirects to /auth',
    // The query is ignored, so anything goes.
    input: (z) => z.object({}),
    answer: 'redirect',
  }),
  register: endpoint('POST /api/register', {
    access: 'public',
    summary: 'Create an account and log in',
    limit: { requests: 20, seconds: 3600 },
    input: object((z) => ({ email: email(z), password: signUpPassword(z), name: personName(z) })),
    output: person,
  }),
  requestPasswordReset: endpoint('POST /api/auth/request-password-reset', {
    access: 'public',
    summary: 'Email a reset link; the answer is the same whether or not the account exists',
    limit: { requests: 10, seconds: 900 },
    input: object((z) => ({ email: email(z) })),
    output: message,
  }),
  resetPassword: endpoint('POST /api/auth/reset-password', {
    access: 'public',
    caller: 'optional',
    whileSettingUp: true,
    summary: 'Set a new password with an emailed token',
    limit: { requests: 20, seconds: 900 },
    input: object((z) => ({ token: mailedToken(z), newPassword: resetPassword(z) })),
  }),
  sendConfirmation: endpoint('POST /api/user/confirmation', {
    whileSettingUp: true,
    summary: 'Email me a link that confirms my address; nothing happens if it is confirmed',
    limit: { requests: 10, seconds: 900 },
  }),
  confirmAddress: endpoint('POST /api/auth/confirm-address', {
    access: 'public',
    caller: 'optional',
    whileSettingUp: true,
    summary: 'Confirm the address of an account with an emailed token, in a browser that is logged in to it',
    limit: { requests: 20, seconds: 60 },
    input: object((z) => ({ token: mailedToken(z) })),
    output: object((z) => ({
      /** No one is logged in to that account here: the same token sets a new password (`resetPassword`) instead. */
      choosePassword: z.boolean(),
    })),
  }),
  updateProfile: endpoint('PATCH /api/user/profile', {
    summary: 'Change my name and TradingView username',
    // An empty value is allowed and clears the field.
    input: object((z) => ({ name: optionalName(z), tradingViewUsername: optionalText(z, 100) })),
    limit: namesPerDay,
  }),
  profile: endpoint('GET /api/user/profile', {
    summary: 'Initial values for the profile form',
    output: object((z) => ({
      name: z.string(),
      tradingViewUsername: z.string(),
      email: z.string(),
      /** False for a guest buyer who hasn't chosen one yet. */
      hasPassword: z.boolean(),
    })),
  }),
  devices: endpoint('GET /api/user/devices', {
    summary: 'Where I’m logged in, most recent first',
    output: (z) => z.array(device(z)),
  }),
  logoutDevice: endpoint('DELETE /api/user/devices/:id', { summary: 'Log out one device' }),
  logoutEverywhere: endpoint('POST /api/user/logout-everywhere', {
    summary: 'Log out every device, including this one',
  }),
  myData: endpoint('GET /api/user/data', {
    summary: 'Everything the shop keeps about me',
    limit: { requests: 20, seconds: 60 },
    output: (z) => z.record(z.string(), z.unknown()),
  }),
  deleteMyself: endpoint('POST /api/user/delete', {
    fresh: 'or password',
    summary: 'Delete my account: personal data is anonymized, the books stay',
    limit: { requests: 20, seconds: 60 },
    input: object((z) => ({ password: givenPassword(z) })),
  }),
  adminList: endpoint('GET /api/admin/users', {
    access: 'staff',
    summary: 'Users, newest first',
    input: object((z) => ({ ...paging(z), sort: sort(z) })),
    output: (z) => z.array(z.extend(person(z), { activePurchases: z.int(), totalPurchases: z.int() })),
    answer: 'list',
  }),
  adminAdd: endpoint('POST /api/admin/users', {
    fresh: { with: 'isAdmin' },
    summary: 'Create a user',
    input: object((z) => ({
      email: email(z),
      password: signUpPassword(z),
      name: personName(z),
      isAdmin: z.boolean(),
      /** Tell them by email, with a link to choose a password of their own. */
      invite: z.optional(z.boolean()),
    })),
  }),
  adminDelete: endpoint('DELETE /api/admin/users/:id', {
    summary: 'Delete a user: personal data is anonymized, the books stay',
  }),
}
