import type { Schedules } from '#server/jobs/schedules.ts'
import type { Declarations } from './declarations.ts'

export const declarationSchedules = (declarations: Declarations): Schedules => ({
  'carry-out-declarations': { cron: '23 * * * *', run: declarations.carryOutConfirmed },
  'hand-declarations-to-seller': { cron: '33 * * * *', run: declarations.handToSeller },
  'forget-declarations': { cron: '27 3 * * *', run: declarations.forgetOld },
})
