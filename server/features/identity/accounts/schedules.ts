import type { Schedules } from '#server/jobs/schedules.ts'
import type { Accounts } from './accounts.ts'

export const accountSchedules = (accounts: Accounts): Schedules => ({
  'tell-of-commands': { cron: '*/5 * * * *', run: accounts.tellOfCommands },
  'tidy-accounts': { cron: '17 3 * * *', run: accounts.forgetExpired },
})
