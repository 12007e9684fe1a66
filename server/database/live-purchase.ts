import { and, eq, inArray, isNotNull, isNull, notInArray, or } from 'drizzle-orm'
import { liveStatuses } from '#contract/statuses.ts'
import { purchases } from './schema.ts'

/** True for a purchase that gives its owner access. */
export const isLivePurchase = inArray(purchases.status, [...liveStatuses])

/** `hasEnded` of the contract. */
export const hasEndedPurchase = notInArray(purchases.status, [...liveStatuses, 'paused'])

/** `isOngoing` of the contract: its owner need not buy again. */
export const isOngoingPurchase = or(
  eq(purchases.status, 'paused'),
  and(isLivePurchase, or(isNotNull(purchases.stripeSubscriptionId), isNull(purchases.endsAt))),
)
