import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, line, optionalLine, pageAndSearchFields, pageFields, text, wholeNumber } from '../fields.ts'
import { mailingStates, newsletterStates, pauseReasons, recipientStates } from '../statuses.ts'

const draftFields = {
  subject: line(150, 'Please write a subject'),
  preheader: z._default(optionalLine(150), ''),
  markdown: text(50_000, 'Please write something'),
  toSubscribers: z.boolean(),
  /** A product's id: goes to its customers who were told about news at the checkout and did not object. */
  buyersOf: z.nullable(id),
}

const counts = z.object({
  waiting: z.int(),
  sent: z.int(),
  refused: z.int(),
  uncertain: z.int(),
  /** People who unsubscribed with the link in this newsletter. */
  unsubscribed: z.int(),
})

const summaryFields = {
  id,
  subject: z.string(),
  state: z.enum(mailingStates),
  pausedBecause: z.nullable(z.enum(pauseReasons)),
  lastError: z.nullable(z.string()),
  scheduledFor: z.nullable(instant),
  startedAt: z.nullable(instant),
  finishedAt: z.nullable(instant),
  updatedAt: instant,
  counts,
}

const newsletterSummary = z.object(summaryFields)
const newsletterOutput = z.object({
  ...summaryFields,
  preheader: z.string(),
  markdown: z.string(),
  toSubscribers: z.boolean(),
  buyersOf: z.nullable(id),
  version: z.int(),
  /** Plain-text part of the email. */
  text: z.string(),
  audience: z.int(),
  /** Customers of `buyersOf` who do not get it, by reason. */
  unreachable: z.object({ untold: z.int(), objected: z.int(), refused: z.int(), bySeller: z.int() }),
  /** Sentences about settings that are missing for sending. */
  missing: z.array(z.string()),
  /** Recipients whose mail server refused the email, or whose result is uncertain. */
  troubled: z.array(z.object({ email: z.string(), state: z.enum(recipientStates), reply: z.nullable(z.string()) })),
})
export type AdminNewsletter = z.infer<typeof newsletterOutput>

const version = wholeNumber('Please reload this page')

export const newsletters = {
  adminList: endpoint('GET /api/admin/newsletters', {
    access: 'content.write',
    summary: 'Newsletters, newest first',
    input: z.strictObject(pageFields),
    output: z.array(newsletterSummary),
    answer: 'list',
  }),
  adminShow: endpoint('GET /api/admin/newsletters/:id', {
    access: 'content.write',
    summary: 'A newsletter, to whom it goes, and how far it is',
    output: newsletterOutput,
  }),
  adminAudiences: endpoint('GET /api/admin/newsletters/audiences', {
    access: 'content.write',
    summary: 'How many addresses each audience of a newsletter has',
    output: z.object({ subscribers: z.int(), buyers: z.array(z.object({ productId: id, count: z.int() })) }),
  }),
  adminPreview: endpoint('GET /api/admin/newsletters/:id/preview', {
    access: 'content.write',
    summary: 'A newsletter as an email client shows it, for a frame',
    input: z.strictObject({ id, scheme: z.enum(['light', 'dark']) }),
    answer: 'html',
  }),
  adminCreate: endpoint('POST /api/admin/newsletters', {
    access: 'content.write',
    fresh: false,
    summary: 'Save a first draft of a newsletter',
    input: z.strictObject(draftFields),
    output: z.object({ id }),
  }),
  adminSave: endpoint('PATCH /api/admin/newsletters/:id', {
    access: 'content.write',
    fresh: false,
    summary: 'Save a draft; refused if somebody else has saved it since this version',
    input: z.strictObject({ id, version, ...draftFields }),
  }),
  adminDelete: endpoint('DELETE /api/admin/newsletters/:id', {
    access: 'content.write',
    fresh: false,
    summary: 'Delete a draft',
  }),
  adminTest: endpoint('POST /api/admin/newsletters/:id/test', {
    access: 'content.write',
    fresh: false,
    summary: 'Send a newsletter to myself, as a test',
    output: z.object({ to: z.string() }),
    limit: { requests: 20, seconds: 600 },
  }),
  adminSend: endpoint('POST /api/admin/newsletters/:id/send', {
    access: 'content.write',
    summary: 'Send a newsletter, now or at a time; from then on it cannot be changed',
    input: z.strictObject({
      id,
      version,
      at: z.optional(
        z.pipe(
          z.iso.datetime(),
          z.transform((iso: string) => new Date(iso)),
        ),
      ),
    }),
  }),
  adminPause: endpoint('POST /api/admin/newsletters/:id/pause', {
    access: 'content.write',
    fresh: false,
    summary: 'Pause a newsletter',
  }),
  adminResume: endpoint('POST /api/admin/newsletters/:id/resume', {
    access: 'content.write',
    summary: 'Go on with a paused newsletter; uncertain addresses stay as they are',
  }),
  adminStop: endpoint('POST /api/admin/newsletters/:id/stop', {
    access: 'content.write',
    fresh: false,
    summary: 'Stop a newsletter for good; a scheduled one becomes a draft again',
  }),
}

const address = z.object({
  id,
  email: z.string(),
  state: z.enum(newsletterStates),
  createdAt: instant,
  confirmedAt: z.nullable(instant),
  unsubscribedAt: z.nullable(instant),
})

export const newsletterAddresses = {
  adminList: endpoint('GET /api/admin/newsletter', {
    access: 'content.write',
    summary: 'Who signed up for the newsletter, newest first',
    input: z.strictObject({ ...pageAndSearchFields, state: z.optional(z.enum(newsletterStates)) }),
    output: z.array(address),
    answer: 'list',
  }),
  adminExport: endpoint('GET /api/admin/newsletter/export', {
    access: 'content.write',
    fresh: true,
    summary: 'Newsletter addresses as a CSV file, all of them or those in one state',
    input: z.strictObject({ state: z.optional(z.enum(newsletterStates)) }),
    answer: 'csv',
  }),
}
