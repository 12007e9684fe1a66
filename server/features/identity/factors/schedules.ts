import type { Schedules } from '#server/jobs/schedules.ts'
import type { Factors } from './factors.ts'

export const factorSchedules = ({ lostDevice }: Factors): Schedules => ({
  'send-factor-resets': { cron: '*/10 * * * *', run: lostDevice.sendDue },
  'forget-factor-resets': { cron: '27 3 * * *', run: lostDevice.forgetOld },
})
