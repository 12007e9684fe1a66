import type { Schedules } from '#server/jobs/schedules.ts'
import type { Purchases } from './purchases.ts'

export const purchaseSchedules = (purchases: Purchases): Schedules => ({
  reconcile: { cron: '*/5 * * * *', run: purchases.reconcile },
  'end-booked': { cron: '* * * * *', run: purchases.endBooked },
  'forget-old-purchases': { cron: '31 3 * * *', run: purchases.forgetOld },
  'ending-notices': { cron: '9 * * * *', run: purchases.sendEndingNotices },
  'renewal-notices': { cron: '7 8 * * *', run: purchases.sendRenewalNotices },
})
