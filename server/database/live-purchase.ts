import { and, inArray, isNotNull, isNull, or } from 'drizzle-orm'
import { liveStatuses } from '#contract/statuses.ts'
import { purchases } from './schema.ts'

/** True for a purchase that gives its owner access. */
export const isLivePurchase = inArray(purchases.status, [...liveStatuses])

/** `isOngoing` of the contract: its owner need not buy again. */
export const isOngoingPurchase = and(
  isLivePurchase,
  or(isNotNull(purchases.stripeSubscriptionId), isNull(purchases.endsAt)),
)
