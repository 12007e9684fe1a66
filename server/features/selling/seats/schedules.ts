import type { Schedules } from '#server/jobs/schedules.ts'
import type { Seats } from './seats.ts'

export const seatSchedules = (seats: Seats): Schedules => ({
  'invite-waiting': { cron: '*/5 * * * *', run: seats.invite },
  'warn-about-seats': { cron: '10 7 * * *', run: seats.warn },
})
