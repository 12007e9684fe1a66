import type { Schedules } from '../jobs/schedules.ts'
import type { Mails } from './mails.ts'

export const mailSchedules = (mails: Mails): Schedules => ({
  'forget-old-mails': { cron: '47 3 * * *', run: mails.forgetOld },
})
