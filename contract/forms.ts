import { z } from 'zod'
import { resetPassword } from './fields.ts'

/** Where a link goes on that was opened in a browser without a session of its account. */
export const choosePasswordPath = (token: string) =>
  `/reset-password?first=confirm&token=${encodeURIComponent(token)}` as const

export const resetRequested = 'If an account exists with this email, you will receive a password reset link.'

export const twice = z.strictObject({ newPassword: resetPassword, confirmPassword: z.string() })

export const newPasswordTwice = twice.refine((both) => both.newPassword === both.confirmPassword, {
  path: ['confirmPassword'],
  error: "Passwords don't match",
  when: () => true,
})
