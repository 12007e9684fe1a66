import * as z from 'zod/mini'
import { resetPassword } from './fields.ts'

/** Next page of a link opened without a session of its account. */
export const choosePasswordPath = (token: string) =>
  `/reset-password?first=confirm&token=${encodeURIComponent(token)}` as const

export const resetRequested = 'If an account exists with this email, you will receive a password reset link.'

export const loginLinkRequested = 'If an account exists with this email, you will receive a login link.'

export const twice = z.strictObject({ newPassword: resetPassword, confirmPassword: z.string() })
export type Twice = { newPassword: string; confirmPassword: string }

export const newPasswordTwice = twice.check(
  z.refine<Twice>((both) => both.newPassword === both.confirmPassword, {
    path: ['confirmPassword'],
    error: "Passwords don't match",
    when: () => true,
  }),
)
