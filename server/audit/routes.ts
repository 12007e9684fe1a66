import type { audit as contract } from '#contract/desk/audit.ts'
import type { Handlers } from '../http/mount.ts'
import type { Audit } from './audit.ts'

export const auditRoutes = (audit: Audit): Handlers<typeof contract> => ({
  adminList: (input) => audit.list(input),
})
