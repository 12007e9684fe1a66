import * as z from 'zod/mini'
import type { Endpoint, InputOf, OutputOf, ParsedInputOf } from './endpoint.ts'
import {
  choosePasswordPath,
  loginLinkRequested,
  type RepeatedPassword,
  repeatedPassword,
  resetRequested,
} from './forms.ts'
import { accounts } from './identity/accounts.ts'
import { logins } from './identity/logins.ts'
import { receivedLine } from './selling/declaration-texts.ts'
import { declarations } from './selling/declarations.ts'
import { contact, contactForm } from './site/contact.ts'
import { newsletter } from './site/newsletter.ts'

/** A page to go to, or a message on a page; by default, on the page that has the form. */
type FormSuccess = { goTo: string } | { message: string; page?: string }

/** A call that also accepts a form post, for browsers without scripts. All other calls take JSON only. */
export type PlainForm = {
  endpoint: Endpoint
  /** Page that shows a refusal or a message; by default, the page that has the form. */
  page?: string
  /** A function types its parameters by its own call, which `never` allows. */
  onSuccess: FormSuccess | ((output: never, input: never) => FormSuccess)
  secondStepPage?: string
  /** Parses a form that has more fields than the call; the result is the call's input. */
  input?: z.ZodMiniType
  /** Posts to the page's own address, because that address has the call's token in its query. */
  atPage?: true
}

const resetForm = z.pipe(
  z
    .strictObject({
      ...repeatedPassword.shape,
      token: accounts.resetPassword.input.shape.token,
      // From the address of a link for a first password; the page reads it, the call does not.
      first: z.optional(z.string()),
    })
    .check(
      z.refine<RepeatedPassword>(
        ({ newPassword, confirmPassword }) => newPassword === confirmPassword,
        "Passwords don't match",
      ),
    ),
  z.transform(({ token, newPassword }): ParsedInputOf<typeof accounts.resetPassword> => ({ token, newPassword })),
)

const linkForm = z.pipe(
  z.strictObject({ token: logins.withLink.input.shape.token, return: z.optional(z.string()) }),
  z.transform(({ token }): ParsedInputOf<typeof logins.withLink> => ({ token })),
)

type DeclarationReceipt = Parameters<typeof receivedLine>[1]
type DeclarationInput = InputOf<typeof declarations.withdraw>

export const plainForms: PlainForm[] = [
  { endpoint: accounts.login, page: '/auth', onSuccess: { goTo: '/dashboard' }, secondStepPage: '/auth/code' },
  { endpoint: logins.withCode, page: '/auth/code', onSuccess: { goTo: '/dashboard' } },
  { endpoint: accounts.register, page: '/auth', onSuccess: { goTo: '/dashboard' } },
  { endpoint: logins.requestLink, page: '/login-link', onSuccess: { message: loginLinkRequested } },
  {
    endpoint: logins.withLink,
    page: '/auth/link',
    onSuccess: { goTo: '/dashboard' },
    secondStepPage: '/auth/code',
    input: linkForm,
    atPage: true,
  },
  { endpoint: accounts.requestPasswordReset, page: '/forgot-password', onSuccess: { message: resetRequested } },
  {
    endpoint: accounts.resetPassword,
    page: '/reset-password',
    onSuccess: { message: 'Password reset successful. You can log in now.', page: '/auth' },
    input: resetForm,
    atPage: true,
  },
  {
    endpoint: accounts.confirmAddress,
    page: '/confirm-address',
    onSuccess: (
      { choosePassword }: OutputOf<typeof accounts.confirmAddress>,
      { token }: InputOf<typeof accounts.confirmAddress>,
    ) => (choosePassword ? { goTo: choosePasswordPath(token) } : { message: 'Your address is confirmed.' }),
    atPage: true,
  },
  { endpoint: newsletter.subscribe, onSuccess: { message: 'Subscribed! Check your inbox to confirm.' } },
  {
    endpoint: newsletter.confirm,
    page: '/newsletter/confirm',
    onSuccess: { message: 'You’re subscribed.' },
    atPage: true,
  },
  {
    endpoint: contact.send,
    page: '/about',
    onSuccess: { message: 'Message sent successfully!' },
    input: z.pipe(
      contactForm,
      z.transform(({ answer: _, ...message }) => message),
    ),
  },
  {
    endpoint: declarations.withdraw,
    page: '/withdraw',
    onSuccess: (answer: DeclarationReceipt, { email }: DeclarationInput) => ({
      message: receivedLine('withdrawal', answer, email),
    }),
  },
  {
    endpoint: declarations.cancel,
    page: '/cancel',
    onSuccess: (answer: DeclarationReceipt, { email }: DeclarationInput) => ({
      message: receivedLine('cancellation', answer, email),
    }),
  },
  {
    endpoint: declarations.confirm,
    page: '/declarations/confirm',
    onSuccess: { message: 'Done. You’ll get an email about what happens to your contract.' },
    atPage: true,
  },
]
