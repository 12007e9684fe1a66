import * as z from 'zod/mini'
import type { Endpoint, InputOf, OutputOf, ParsedInputOf } from './endpoint.ts'
import { choosePasswordPath, loginLinkRequested, resetRequested, type Twice, twice } from './forms.ts'
import { accounts } from './identity/accounts.ts'
import { logins } from './identity/logins.ts'
import { receivedLine } from './selling/declaration-texts.ts'
import { declarations } from './selling/declarations.ts'
import { contact, contactForm } from './site/contact.ts'
import { newsletter } from './site/newsletter.ts'

type Done = { goTo: string } | { say: string; on?: string }

/** The calls that a form may post without scripts; all others take JSON only. Not in the rows, because browsers never need it. */
export type PlainForm = {
  row: Endpoint
  /** The page that answers, with the message in its slot; without it, the page that the form is on. */
  page?: string
  /** Page after success, or its message; may depend on the answer. */
  done: Done | ((output: never, input: never) => Done)
  /** Page for the second step of a login. */
  next?: string
  /** For a form with more fields than the call; the output is the call's input. */
  input?: z.ZodMiniType
  /** The form posts to its page's own address, whose query holds a secret of the call. */
  atPage?: true
}

const resetForm = z.pipe(
  z
    .strictObject({ ...twice.shape, token: accounts.resetPassword.input.shape.token, first: z.optional(z.string()) })
    .check(z.refine<Twice>((both) => both.newPassword === both.confirmPassword, "Passwords don't match")),
  z.transform(({ token, newPassword }): ParsedInputOf<typeof accounts.resetPassword> => ({ token, newPassword })),
)

const linkForm = z.pipe(
  z.strictObject({ token: logins.withLink.input.shape.token, return: z.optional(z.string()) }),
  z.transform(({ token }): ParsedInputOf<typeof logins.withLink> => ({ token })),
)

type Received = Parameters<typeof receivedLine>[1]
type Declared = InputOf<typeof declarations.withdraw>

export const plainForms: PlainForm[] = [
  { row: accounts.login, page: '/auth', done: { goTo: '/dashboard' }, next: '/auth/code' },
  { row: logins.withCode, page: '/auth/code', done: { goTo: '/dashboard' } },
  { row: accounts.register, page: '/auth', done: { goTo: '/dashboard' } },
  { row: logins.requestLink, page: '/login-link', done: { say: loginLinkRequested } },
  {
    row: logins.withLink,
    page: '/auth/link',
    done: { goTo: '/dashboard' },
    next: '/auth/code',
    input: linkForm,
    atPage: true,
  },
  { row: accounts.requestPasswordReset, page: '/forgot-password', done: { say: resetRequested } },
  {
    row: accounts.resetPassword,
    page: '/reset-password',
    done: { say: 'Password reset successful. You can log in now.', on: '/auth' },
    input: resetForm,
    atPage: true,
  },
  {
    row: accounts.confirmAddress,
    page: '/confirm-address',
    done: (
      { choosePassword }: OutputOf<typeof accounts.confirmAddress>,
      { token }: InputOf<typeof accounts.confirmAddress>,
    ) => (choosePassword ? { goTo: choosePasswordPath(token) } : { say: 'Your address is confirmed.' }),
    atPage: true,
  },
  { row: newsletter.subscribe, done: { say: 'Subscribed! Check your inbox to confirm.' } },
  { row: newsletter.confirm, page: '/newsletter/confirm', done: { say: 'You’re subscribed.' }, atPage: true },
  {
    row: contact.send,
    page: '/about',
    done: { say: 'Message sent successfully!' },
    input: z.pipe(
      contactForm,
      z.transform(({ answer: _, ...message }) => message),
    ),
  },
  {
    row: declarations.withdraw,
    page: '/withdraw',
    done: (answer: Received, { email }: Declared) => ({ say: receivedLine('withdrawal', answer, email) }),
  },
  {
    row: declarations.cancel,
    page: '/cancel',
    done: (answer: Received, { email }: Declared) => ({ say: receivedLine('cancellation', answer, email) }),
  },
  {
    row: declarations.confirm,
    page: '/declarations/confirm',
    done: { say: 'Done. You’ll get an email about what happens to your contract.' },
    atPage: true,
  },
]
