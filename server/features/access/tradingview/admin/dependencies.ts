import type { AccessRequests } from '#server/features/access/access-requests/access-requests.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import type { TradingView } from '../connector.ts'

export type AdminDependencies = {
  tradingView: TradingView
  entitlements: Pick<Entitlements, 'claimable' | 'recordChange' | 'refresh' | 'recheckName'>
  accessRequests: Pick<AccessRequests, 'claim'>
}
