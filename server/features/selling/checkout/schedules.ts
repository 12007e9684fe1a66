import type { Schedules } from '#server/jobs/schedules.ts'
import type { Checkouts } from './checkouts.ts'

export const checkoutSchedules = (checkouts: Checkouts): Schedules => ({
  'forget-unpaid-checkouts': { cron: '37 3 * * *', run: checkouts.forgetUnpaid },
})
