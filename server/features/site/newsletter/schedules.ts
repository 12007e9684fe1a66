import type { Schedules } from '#server/jobs/schedules.ts'
import type { Newsletter } from './newsletter.ts'

export const newsletterSchedules = (newsletter: Newsletter): Schedules => ({
  'forget-newsletter-addresses': { cron: '17 3 * * *', run: newsletter.forgetInactive },
})
