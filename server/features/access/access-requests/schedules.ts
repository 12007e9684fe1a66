import type { Schedules } from '#server/jobs/schedules.ts'
import type { AccessRequests } from './access-requests.ts'

export const accessRequestSchedules = (requests: AccessRequests): Schedules => ({
  'announce-grants': { cron: '* * * * *', run: requests.announce },
  'hand-over-requests': { cron: '* * * * *', run: requests.handOver },
  'purge-exchange-keys': { cron: '17 * * * *', run: requests.purgeKeys },
})
