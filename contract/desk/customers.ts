import { access } from '../access/access.ts'
import { accessAdmin } from '../access/access-admin.ts'
import { assets } from '../access/assets.ts'
import { privatePackage } from '../access/package.ts'

import { endpoint } from '../endpoint.ts'
import { cents, email, id, instant, pages, text } from '../fields.ts'
import { accounts } from '../identity/accounts.ts'
import { type InferOutput, object } from '../schema.ts'
import { purchases } from '../selling/purchases.ts'
import { roles, suppressionReasons } from '../statuses.ts'

const note = object((z) => ({ id: id(z), text: z.string(), author: z.string(), createdAt: instant(z) }))

const customer = object((z) => ({
  id: id(z),
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  role: z.nullable(z.enum(roles)),
  tradingViewUsername: z.nullable(z.string()),
  createdAt: instant(z),
  /** When a link emailed to the address was used. */
  verifiedAt: z.nullable(instant(z)),
  hasPassword: z.boolean(),
  purchases: purchases.adminList.output(z),
  /** One for each product. */
  access: accessAdmin.people.output(z),
  notes: z.array(note(z)),
  /** Why they get no newsletters, if so. */
  suppressed: z.nullable(z.strictObject({ because: z.enum(suppressionReasons), at: instant(z) })),
}))
export type Customer = InferOutput<typeof customer>

const timelineKinds = ['purchase', 'mail', 'message', 'access', 'login', 'staff'] as const

const timelineEntry = object((z) => ({
  id: z.string(),
  at: instant(z),
  kind: z.enum(timelineKinds),
  title: z.string(),
  detail: z.string(),
  mailId: z.nullable(id(z)),
}))
export type TimelineEntry = InferOutput<typeof timelineEntry>

const payments = object((z) => ({
  /** Invoices and credit notes of every subscription, newest first. */
  documents: purchases.invoices.output(z),
  /** What came in and stayed. */
  paid: cents(z),
  refunded: cents(z),
}))

export const customers = {
  adminShow: endpoint('GET /api/admin/customers/:id', {
    access: 'staff',
    summary: 'A customer: who they are, what they have, and our notes',
    output: customer,
  }),
  adminTimeline: endpoint('GET /api/admin/customers/:id/timeline', {
    access: 'staff',
    summary: 'What happened with a customer, newest first',
    input: object((z) => ({ id: id(z), ...pages(z) })),
    output: (z) => z.array(timelineEntry(z)),
    answer: 'list',
  }),
  adminPayments: endpoint('GET /api/admin/customers/:id/payments', {
    access: 'staff',
    summary: 'A customer’s invoices and credit notes, from Stripe',
    output: payments,
  }),
  adminMail: endpoint('GET /api/admin/mails/:id', {
    access: 'staff',
    summary: 'An email as it was sent, without links that carry a secret',
    output: object((z) => ({
      subject: z.string(),
      text: z.string(),
      sentAt: instant(z),
      /** False if it carries a link to set a password: those get a new one. */
      isResendable: z.boolean(),
    })),
  }),
  adminResend: endpoint('POST /api/admin/mails/:id/resend', {
    access: 'staff',
    summary: 'Send an email once more, to the customer’s present address',
  }),
  adminAddNote: endpoint('POST /api/admin/customers/:id/notes', {
    access: 'staff',
    summary: 'Note something about a customer',
    input: object((z) => ({ id: id(z), text: text(z, 2000, 'Please write something') })),
  }),
  adminDeleteNote: endpoint('DELETE /api/admin/notes/:id', { access: 'staff', summary: 'Delete a note' }),
  adminSendPasswordLink: endpoint('POST /api/admin/customers/:id/password-link', {
    access: 'staff',
    summary: 'Email a customer a link to set a password',
  }),
  adminSuppress: endpoint('POST /api/admin/customers/:id/suppress', {
    access: 'staff',
    summary: 'Send a customer no newsletters, or send them again; receipts always go out',
    input: object((z) => ({ id: id(z), isSuppressed: z.boolean() })),
  }),
  adminCorrectEmail: endpoint('POST /api/admin/customers/:id/email', {
    summary: 'Correct a customer’s email address; both addresses get an email',
    input: object((z) => ({ id: id(z), email: email(z) })),
  }),
  /** Data to look at, nothing more: there is no session behind it, so nothing can be changed with it. */
  adminSeeAs: endpoint('GET /api/admin/customers/:id/dashboard', {
    access: 'staff',
    fresh: true,
    summary: 'A buyer’s dashboard as they see it; recorded in the audit log',
    output: object((z) => ({
      user: accounts.user.output(z),
      purchases: purchases.list.output(z),
      access: access.mine.output(z),
      /** Null for someone who owns nothing. */
      privatePackage: z.nullable(privatePackage.show.output(z)),
      assets: z.nullable(assets.list.output(z)),
    })),
  }),
}
