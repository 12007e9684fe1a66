import type { Schedules } from '#server/jobs/schedules.ts'
import type { Sessions } from './sessions.ts'

export const sessionSchedules = (sessions: Sessions): Schedules => ({
  'forget-expired-sessions': { cron: '17 3 * * *', run: sessions.forgetExpired },
})
