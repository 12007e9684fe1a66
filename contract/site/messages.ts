import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, pageAndSearchFields, text } from '../fields.ts'
import { messageStates } from '../statuses.ts'

const message = z.object({
  id,
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  message: z.string(),
  createdAt: instant,
  /** The account it was sent from or, if the sender was not logged in, the one with the same address. */
  customerId: z.nullable(id),
  answeredAt: z.nullable(instant),
  /** Null if it was answered elsewhere. */
  answer: z.nullable(z.string()),
  answeredBy: z.nullable(z.string()),
})
export type Message = z.infer<typeof message>

export const messages = {
  adminList: endpoint('GET /api/admin/messages', {
    access: 'customers.help',
    summary: 'Contact messages, newest first',
    input: z.strictObject({
      ...pageAndSearchFields,
      state: z.optional(z.enum(messageStates)),
      customerId: z.optional(id),
    }),
    output: z.array(message),
    answer: 'list',
  }),
  adminReply: endpoint('POST /api/admin/messages/:id/reply', {
    access: 'customers.help',
    fresh: true,
    summary: 'Answer a message by email; answers to that reach the support address',
    input: z.strictObject({ id, answer: text(5000, 'Please enter an answer') }),
  }),
  adminSettle: endpoint('PATCH /api/admin/messages/:id', {
    access: 'customers.help',
    fresh: false,
    summary: 'Mark a message as answered elsewhere, or as open again',
    input: z.strictObject({ id, state: z.enum(messageStates) }),
  }),
}
