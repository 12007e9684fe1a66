import type { Schedules } from '#server/jobs/schedules.ts'
import type { Overview } from './overview.ts'

export const overviewSchedules = (overview: Overview): Schedules => ({
  'add-up-subscription-movements': { cron: '17 2 * * *', run: overview.addUpMovements },
  digest: { cron: '5 6 * * *', run: overview.sendDigest },
})
