import { accessRequests } from '#server/database/schema.ts'

/** What buyer and seller see of a request; never the sealed keys. */
export const shownColumns = {
  id: accessRequests.id,
  purchaseId: accessRequests.purchaseId,
  exchangeName: accessRequests.exchangeName,
  tradingViewUsername: accessRequests.tradingViewUsername,
  additionalInfo: accessRequests.additionalInfo,
  status: accessRequests.status,
  reason: accessRequests.reason,
  submittedAt: accessRequests.submittedAt,
  decidedAt: accessRequests.decidedAt,
}
