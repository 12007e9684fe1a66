import { endpoint, paging } from '../endpoint.ts'
import { instant } from '../fields.ts'
import { object } from '../schema.ts'

const auditEntry = object((z) => ({
  id: z.int(),
  at: instant(z),
  actorEmail: z.string(),
  action: z.string(),
  subject: z.string(),
  detail: z.nullable(z.record(z.string(), z.unknown())),
  ip: z.string(),
}))

export const audit = {
  adminList: endpoint('GET /api/admin/audit', {
    access: 'admin',
    summary: 'What admins did, newest first',
    input: object(paging),
    output: (z) => z.array(auditEntry(z)),
    answer: 'list',
  }),
}
