import { endpoint } from '../endpoint.ts'
import { id, instant, paging, text } from '../fields.ts'
import { type InferOutput, object } from '../schema.ts'
import { messageStates } from '../statuses.ts'

const message = object((z) => ({
  id: id(z),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  message: z.string(),
  createdAt: instant(z),
  /** The account it was sent from or, if the sender was not logged in, the one with the same address. */
  customerId: z.nullable(id(z)),
  answeredAt: z.nullable(instant(z)),
  /** Null if it was answered elsewhere. */
  answer: z.nullable(z.string()),
  answeredBy: z.nullable(z.string()),
}))
export type Message = InferOutput<typeof message>

export const messages = {
  adminList: endpoint('GET /api/admin/messages', {
    access: 'staff',
    summary: 'Contact messages, newest first',
    input: object((z) => ({ ...paging(z), state: z.optional(z.enum(messageStates)), customerId: z.optional(id(z)) })),
    output: (z) => z.array(message(z)),
    answer: 'list',
  }),
  adminReply: endpoint('POST /api/admin/messages/:id/reply', {
    access: 'staff',
    fresh: true,
    summary: 'Answer a message by email; answers to that reach the support address',
    input: object((z) => ({ id: id(z), answer: text(z, 5000, 'Please enter an answer') })),
  }),
  adminSettle: endpoint('PATCH /api/admin/messages/:id', {
    access: 'staff',
    summary: 'Mark a message as answered elsewhere, or as open again',
    input: object((z) => ({ id: id(z), state: z.enum(messageStates) })),
  }),
}
