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

/** The calls that a form may post without scripts; all others take JSON only. Endpoints that accept a form post without scripts; kept apart from the endpoint definitions, because browsers never need them. */
export type PlainForm = {
  endpoint: Endpoint
  /** Page that shows the message; by default, the page that has the form. */
  page?: string
  /** Page after success, or its message; may depend on the answer. */
  done: Done | ((output: never, input: never) => Done)
  /** Page for the second step of a login. */
  next?: string
  /** For a form with more fields than the call; the output is the call's input. */
  input?: z.ZodMiniType
  /** Posts to the page's own address, because that address has the call's token in its query. */
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
  { endpoint: accounts.login, page: '/auth', done: { goTo: '/dashboard' }, next: '/auth/code' },
  { endpoint: logins.withCode, page: '/auth/code', done: { goTo: '/dashboard' } },
  { endpoint: accounts.register, page: '/auth', done: { goTo: '/dashboard' } },
  { endpoint: logins.requestLink, page: '/login-link', done: { say: loginLinkRequested } },
  {
    endpoint: logins.withLink,
    page: '/auth/link',
    done: { goTo: '/dashboard' },
    next: '/auth/code',
    input: linkForm,
    atPage: true,
  },
  { endpoint: accounts.requestPasswordReset, page: '/forgot-password', done: { say: resetRequested } },
  {
    endpoint: accounts.resetPassword,
    page: '/reset-password',
    done: { say: 'Password reset successful. You can log in now.', on: '/auth' },
    input: resetForm,
    atPage: true,
  },
  {
    endpoint: accounts.confirmAddress,
    page: '/confirm-address',
    done: (
      { choosePassword }: OutputOf<typeof accounts.confirmAddress>,
      { token }: InputOf<typeof accounts.confirmAddress>,
    ) => (choosePassword ? { goTo: choosePasswordPath(token) } : { say: 'Your address is confirmed.' }),
    atPage: true,
  },
  { endpoint: newsletter.subscribe, done: { say: 'Subscribed! Check your inbox to confirm.' } },
  { endpoint: newsletter.confirm, page: '/newsletter/confirm', done: { say: 'You’re subscribed.' }, atPage: true },
  {
    endpoint: contact.send,
    page: '/about',
    done: { say: 'Message sent successfully!' },
    input: z.pipe(
      contactForm,
      z.transform(({ answer: _, ...message }) => message),
    ),
  },
  {
    endpoint: declarations.withdraw,
    page: '/withdraw',
    done: (answer: Received, { email }: Declared) => ({ say: receivedLine('withdrawal', answer, email) }),
  },
  {
    endpoint: declarations.cancel,
    page: '/cancel',
    done: (answer: Received, { email }: Declared) => ({ say: receivedLine('cancellation', answer, email) }),
  },
  {
    endpoint: declarations.confirm,
    page: '/declarations/confirm',
    done: { say: 'Done. You’ll get an email about what happens to your contract.' },
    atPage: true,
  },
]
