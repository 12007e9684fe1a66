import { accessRequests } from '#contract/access/access-requests.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'

/** Everything on the Access tab that a change of the connection can change. */
export const refreshes = [
  tradingViewAdmin.show,
  tradingViewAdmin.scripts,
  tradingViewAdmin.attention,
  tradingViewAdmin.runs,
  tradingViewAdmin.people,
  tradingViewAdmin.meter,
  accessRequests.adminList,
]
