import { access } from '#contract/access/access.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { refreshes as ofPeople } from '../access/refreshes.ts'

/** Everything that a change of the connection can change: all of its own calls begin alike. */
export const refreshes = [tradingViewAdmin.show, access.status, ...ofPeople]
