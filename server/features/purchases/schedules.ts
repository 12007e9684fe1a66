import type { Schedules } from '../../jobs/schedules.ts'
import type { Purchases } from './purchases.ts'

export const purchaseSchedules = (purchases: Purchases): Schedules => ({
  reconcile: { cron: '*/5 * * * *', run: purchases.reconcile },
  'end-booked': { cron: '* * * * *', run: purchases.endBooked },
  'renewal-notices': { cron: '7 8 * * *', run: purchases.sendRenewalNotices },
})
