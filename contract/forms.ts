import * as z from 'zod/mini'
import { resetPassword } from './fields.ts'

/** Address that sets a first password, for a confirmation link opened without a session of its account. */
export const choosePasswordPath = (token: string) =>
  `/reset-password?first=confirm&token=${encodeURIComponent(token)}` as const

export const resetRequested = 'If an account exists with this email, you will receive a password reset link.'

export const loginLinkRequested = 'If an account exists with this email, you will receive a login link.'

export const repeatedPassword = z.strictObject({ newPassword: resetPassword, confirmPassword: z.string() })
export type RepeatedPassword = { newPassword: string; confirmPassword: string }

export const newPasswordForm = repeatedPassword.check(
  z.refine<RepeatedPassword>(({ newPassword, confirmPassword }) => newPassword === confirmPassword, {
    path: ['confirmPassword'],
    error: "Passwords don't match",
    // Runs even if another field is invalid, so that the form shows all errors at once.
    when: () => true,
  }),
)
