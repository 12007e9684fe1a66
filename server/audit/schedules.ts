import type { Schedules } from '../jobs/schedules.ts'
import type { Audit } from './audit.ts'

export const auditSchedules = (audit: Audit): Schedules => ({
  'forget-old-audit': { cron: '41 3 * * *', run: audit.forgetOld },
})
