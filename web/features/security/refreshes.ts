import { accounts } from '#contract/accounts.ts'
import { factors } from '#contract/factors.ts'

/** What changes when a factor comes or goes; other devices are logged out. */
export const refreshes = [factors.show, accounts.user, accounts.devices]
