import { endpoint } from '../endpoint.ts'
import { object } from '../schema.ts'

export const reminders = {
  adminCount: endpoint('GET /api/admin/reminders', {
    access: 'admin',
    summary: 'How many active buyers haven’t asked for access yet, nor been reminded this week',
    output: object((z) => ({ due: z.int() })),
  }),
  adminSend: endpoint('POST /api/admin/reminders', {
    access: 'admin',
    summary: 'Email each of them a reminder',
    output: object((z) => ({ queued: z.int() })),
  }),
}
