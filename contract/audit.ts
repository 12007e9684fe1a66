import * as z from 'zod/mini'
import { endpoint, paging } from './endpoint.ts'
import { instant } from './fields.ts'

const auditEntry = z.strictObject({
  id: z.int(),
  at: instant,
  actorEmail: z.string(),
  action: z.string(),
  subject: z.string(),
  detail: z.nullable(z.record(z.string(), z.unknown())),
  ip: z.string(),
})

export const audit = {
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/audit',
    access: 'admin',
    summary: 'What admins did, newest first',
    input: z.strictObject(paging),
    output: z.array(auditEntry),
    answer: 'list',
  }),
}
