import { endpoint, nothing } from '../endpoint.ts'

export const reminders = {
  adminCount: endpoint({
    method: 'GET',
    path: '/api/admin/reminders',
    access: 'admin',
    summary: 'How many active buyers haven’t asked for access yet, nor been reminded this week',
    input: nothing,
    output: (z) => z.strictObject({ due: z.int() }),
  }),
  adminSend: endpoint({
    method: 'POST',
    path: '/api/admin/reminders',
    access: 'admin',
    summary: 'Email each of them a reminder',
    input: nothing,
    output: (z) => z.strictObject({ queued: z.int() }),
  }),
}
