/**
 * The words for states, once for the whole shop: types, schemas, SQL and texts are made from these lists, and
 * `npm run check` refuses a second list.
 */

export const billingTypes = ['monthly', 'yearly'] as const
export type BillingType = (typeof billingTypes)[number]
/** What one payment pays for. */
export const billingPeriods = { monthly: 'month', yearly: 'year' } as const satisfies Record<
  BillingType,
  string
>

/** The spec's four, and past_due: a renewal failed, and the buyer keeps access while the card is tried again. */
export const purchaseStatuses = ['active', 'pending_cancel', 'past_due', 'cancelled', 'expired'] as const
export type PurchaseStatus = (typeof purchaseStatuses)[number]

/** While a purchase is one of these its owner has access. */
export const liveStatuses = ['active', 'pending_cancel', 'past_due'] as const satisfies PurchaseStatus[]
export const isLive = (status: PurchaseStatus) => liveStatuses.some((live) => live === status)

/** What a purchase may be when the seller books it by hand. */
export const bookableStatuses = ['active', 'cancelled', 'expired'] as const satisfies PurchaseStatus[]
export type BookableStatus = (typeof bookableStatuses)[number]

/** Statuses as they are, except the spec's one in words. */
export const statusTexts: Record<PurchaseStatus, string> = {
  active: 'active',
  pending_cancel: 'Cancels at period end',
  past_due: 'past due',
  cancelled: 'cancelled',
  expired: 'expired',
}

export const endReasons = ['cancelled', 'unpaid', 'refunded', 'disputed', 'duplicate'] as const
export type EndReason = (typeof endReasons)[number]

export const accessRequestStatuses = ['requested', 'granted', 'refused', 'revoked'] as const
export type AccessRequestStatus = (typeof accessRequestStatuses)[number]
