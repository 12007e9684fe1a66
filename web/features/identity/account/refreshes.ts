import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'

/** What changes when a factor comes or goes; other devices are logged out. */
export const refreshes = [factors.show, accounts.user, accounts.devices]
