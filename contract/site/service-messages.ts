import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, line, pageFields, text, wholeNumber } from '../fields.ts'

/** Advertising belongs in a newsletter. */
export const serviceReasons = {
  outage: 'Outage or interruption',
  security: 'Security',
  new_version: 'New version of the product',
  changed_terms: 'Changed terms',
} as const
export type ServiceReason = keyof typeof serviceReasons

/** Limit for each product within `serviceMessageDays` days; security messages don't count. */
export const maxServiceMessages = 4
export const serviceMessageDays = 30

const reason = z.enum(Object.keys(serviceReasons) as [ServiceReason, ...ServiceReason[]], 'Please choose a reason')

const messageFields = {
  productId: id,
  reason,
  subject: line(150, 'Please write a subject'),
  markdown: text(20_000, 'Please write something'),
}

const sentMessage = z.object({
  id,
  product: z.string(),
  reason,
  subject: z.string(),
  markdown: z.string(),
  sentAt: instant,
  sentBy: z.string(),
  recipients: z.int(),
})

/** Messages that the contract requires; customers get them even without consent to news. */
export const serviceMessages = {
  adminList: endpoint('GET /api/admin/service-messages', {
    access: 'content.write',
    summary: 'Service messages that were sent, newest first',
    input: z.strictObject(pageFields),
    output: z.array(sentMessage),
    answer: 'list',
  }),
  adminAudience: endpoint('GET /api/admin/service-messages/audience', {
    access: 'content.write',
    summary: 'How many customers of a product a service message goes to, and how many more may be sent',
    input: z.strictObject({ productId: id }),
    output: z.object({
      customers: z.int(),
      /** Customers whose mail server refused their address for good. */
      refused: z.int(),
      /** Number of messages that may still be sent; security messages are not limited. */
      remaining: z.int(),
      /** Sentences about settings that are missing for sending. */
      missing: z.array(z.string()),
    }),
  }),
  adminTest: endpoint('POST /api/admin/service-messages/test', {
    access: 'content.write',
    fresh: false,
    summary: 'Send a service message to myself, as a test',
    input: z.strictObject(messageFields),
    output: z.object({ to: z.string() }),
    limit: { requests: 20, seconds: 600 },
  }),
  adminSend: endpoint('POST /api/admin/service-messages', {
    access: 'content.write',
    summary: 'Email everyone with a running purchase of a product what their contract needs',
    /** `customers` is the number that the caller saw. If it has changed, the call is refused. */
    input: z.strictObject({ ...messageFields, customers: wholeNumber() }),
    output: z.object({ recipients: z.int() }),
    limit: { requests: 10, seconds: 3600 },
  }),
}
