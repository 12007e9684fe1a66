import type { Schedules } from '#server/jobs/schedules.ts'
import type { Contact } from './contact.ts'

export const contactSchedules = (contact: Contact): Schedules => ({
  'forget-contact-messages': { cron: '37 3 * * *', run: contact.forgetOld },
})
