import type { Schedules } from '#server/jobs/schedules.ts'
import type { Reviews } from './reviews.ts'

export const reviewSchedules = (reviews: Reviews): Schedules => ({
  'invite-reviews': { cron: '43 9 * * *', run: reviews.invite },
  'forget-review-reports': { cron: '47 3 * * *', run: reviews.forgetReports },
})
