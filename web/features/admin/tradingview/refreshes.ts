import { accessRequests } from '#contract/access-requests.ts'
import { tradingView } from '#contract/tradingview.ts'

/** Everything on the Access tab that a change of the connection can change. */
export const refreshes = [
  tradingView.adminShow,
  tradingView.adminScripts,
  tradingView.adminAttention,
  tradingView.adminRuns,
  tradingView.adminPeople,
  tradingView.adminMeter,
  accessRequests.adminList,
]
