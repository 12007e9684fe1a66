import * as z from 'zod/mini'
import { access } from '../access/access.ts'
import { accessAdmin } from '../access/access-admin.ts'
import { assets } from '../access/assets.ts'
import { privatePackage } from '../access/package.ts'
import { endpoint } from '../endpoint.ts'
import { cents, email, id, instant, pageFields, text } from '../fields.ts'
import { accounts } from '../identity/accounts.ts'
import { roles } from '../permissions.ts'
import { documentId, documentLinks, purchases } from '../selling/purchases.ts'
import { purchasesAdmin } from '../selling/purchases-admin.ts'
import { suppressionReasons } from '../statuses.ts'

const note = z.object({ id, text: z.string(), author: z.string(), authorId: id, createdAt: instant })

const customer = z.object({
  id,
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  role: z.nullable(z.enum(roles)),
  tradingViewUsername: z.nullable(z.string()),
  createdAt: instant,
  verifiedAt: z.nullable(instant),
  hasPassword: z.boolean(),
  purchases: purchasesAdmin.list.output,
  /** Has an entry for each product. */
  access: accessAdmin.people.output,
  notes: z.array(note),
  /** Why the customer gets no newsletters; null if they do. */
  suppressed: z.nullable(z.object({ because: z.enum(suppressionReasons), at: instant })),
})
export type Customer = z.infer<typeof customer>

const timelineKinds = ['purchase', 'mail', 'message', 'access', 'login', 'staff'] as const

const timelineEntry = z.object({
  id: z.string(),
  at: instant,
  kind: z.enum(timelineKinds),
  title: z.string(),
  detail: z.string(),
  mailId: z.nullable(id),
})
export type TimelineEntry = z.infer<typeof timelineEntry>

const payments = z.object({
  /** Newest first. */
  documents: purchases.invoices.output,
  /** Payments less refunds and lost disputes. */
  paid: cents,
  refunded: cents,
})

export const customers = {
  adminShow: endpoint('GET /api/admin/customers/:id', {
    access: 'customers.read',
    summary: 'A customer: who they are, what they have, and our notes',
    output: customer,
  }),
  adminTimeline: endpoint('GET /api/admin/customers/:id/timeline', {
    access: 'customers.read',
    summary: 'What happened with a customer, newest first',
    input: z.strictObject({ id, ...pageFields }),
    output: z.array(timelineEntry),
    answer: 'list',
  }),
  adminPayments: endpoint('GET /api/admin/customers/:id/payments', {
    access: 'customers.read',
    summary: 'A customer’s invoices and credit notes, and what came in',
    output: payments,
  }),
  adminDocument: endpoint('GET /api/admin/customers/:id/invoices/:document', {
    access: 'customers.read',
    summary: 'Where Stripe shows an invoice or credit note of a customer',
    input: z.strictObject({ id, document: documentId }),
    output: documentLinks,
  }),
  adminMail: endpoint('GET /api/admin/mails/:id', {
    access: 'customers.read',
    summary: 'An email as it was sent, without links that carry a secret',
    output: z.object({
      subject: z.string(),
      text: z.string(),
      sentAt: instant,
      /** False if it carries a link to set a password; `adminSendPasswordLink` sends a new one. */
      isResendable: z.boolean(),
    }),
  }),
  adminResend: endpoint('POST /api/admin/mails/:id/resend', {
    access: 'customers.help',
    fresh: false,
    summary: 'Send an email once more, to the customer’s present address',
  }),
  adminAddNote: endpoint('POST /api/admin/customers/:id/notes', {
    access: 'customers.help',
    fresh: false,
    summary: 'Note something about a customer',
    input: z.strictObject({ id, text: text(2000, 'Please write something') }),
  }),
  adminDeleteNote: endpoint('DELETE /api/admin/notes/:id', {
    access: 'customers.help',
    fresh: false,
    summary: 'Delete a note',
  }),
  adminWrite: endpoint('POST /api/admin/customers/:id/write', {
    access: 'customers.help',
    fresh: true,
    summary: 'Write a customer an email; answers to it reach the support address',
    input: z.strictObject({
      id,
      subject: text(150, 'Please enter a subject'),
      text: text(5000, 'Please write something'),
    }),
  }),
  adminSendPasswordLink: endpoint('POST /api/admin/customers/:id/password-link', {
    access: 'customers.help',
    fresh: false,
    summary: 'Email a customer a link to set a password',
  }),
  adminSuppress: endpoint('POST /api/admin/customers/:id/suppress', {
    access: 'customers.help',
    fresh: false,
    summary: 'Send a customer no newsletters, or send them again; receipts always go out',
    input: z.strictObject({ id, isSuppressed: z.boolean() }),
  }),
  adminCorrectEmail: endpoint('POST /api/admin/customers/:id/email', {
    access: 'people.manage',
    summary: 'Correct a customer’s email address; both addresses get an email',
    input: z.strictObject({ id, email }),
  }),
  /** Returns data only, no session: staff cannot act as the buyer. */
  adminSeeAs: endpoint('GET /api/admin/customers/:id/dashboard', {
    access: 'customers.read',
    fresh: true,
    summary: 'A buyer’s dashboard as they see it; recorded in the audit log',
    output: z.object({
      user: accounts.user.output,
      purchases: purchases.list.output,
      access: access.mine.output,
      /** Null without a live purchase. */
      privatePackage: z.nullable(privatePackage.show.output),
      assets: z.nullable(assets.list.output),
    }),
  }),
}
