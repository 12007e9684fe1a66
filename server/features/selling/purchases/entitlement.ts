import { dayMs } from '#contract/dates.ts'
import type { EntitlementReason, PurchaseStatus } from '#contract/statuses.ts'
import type { AreaEvents } from '#server/events.ts'

export type PurchaseFacts = {
  status: PurchaseStatus
  paidUntil: Date | null
  givenUntil: Date | null
  endsAt: Date | null
  pastDueSince: Date | null
  isDisputed: boolean
}

/** `until` is null if access has no end. */
export type Entitlement = { until: Date | null; reason: EntitlementReason }

export type EntitlementSettings = {
  /** During a dispute, access is kept but not extended. If false, a dispute changes nothing. */
  freezesAccessDuringDispute: boolean
}

/** Called in the transaction of the change. */
export type AccessEffects = Pick<AreaEvents, 'purchasesChanged' | 'usernameEntered' | 'isUnlockedByConnector'>

/** Stripe leaves a renewal's invoice as a draft for about an hour, and may then retry the card. */
const renewalSlackMs = 3 * dayMs
export const graceDays = 14

export const graceEnd = (pastDueSince: Date) => new Date(pastDueSince.getTime() + graceDays * dayMs)

/** The longest entitlement of a person's purchases. A dispute may freeze the stored one, `current` (docs/entitlements.md). */
export function entitlementOf(
  purchases: PurchaseFacts[],
  settings: EntitlementSettings,
  current: Entitlement | null,
): Entitlement | null {
  let longest: Entitlement | null = null
  for (const purchase of purchases) {
    const entitlement = entitlementOfPurchase(purchase, settings, current)
    if (entitlement && (!longest || endTime(entitlement) > endTime(longest))) longest = entitlement
  }
  return longest
}

function entitlementOfPurchase(
  purchase: PurchaseFacts,
  settings: EntitlementSettings,
  current: Entitlement | null,
): Entitlement | null {
  const regular = entitlementByStatus(purchase)
  const isFrozen = purchase.isDisputed && settings.freezesAccessDuringDispute
  if (!regular || !isFrozen) return regular
  if (!current) return null
  const earlier = endTime(current) < endTime(regular) ? current : regular
  return { until: earlier.until, reason: 'disputed' }
}

function entitlementByStatus({
  status,
  paidUntil,
  givenUntil,
  endsAt,
  pastDueSince,
}: Omit<PurchaseFacts, 'isDisputed'>): Entitlement | null {
  const paidOrGivenUntil = paidUntil && new Date(Math.max(paidUntil.getTime(), givenUntil?.getTime() ?? 0))
  switch (status) {
    case 'active': {
      // A purchase booked by hand has no paid period.
      const isBookedByHand = paidOrGivenUntil === null
      if (isBookedByHand) return endsAt ? { until: endsAt, reason: 'ends' } : { until: null, reason: 'renews' }
      const untilRenewed = new Date(paidOrGivenUntil.getTime() + renewalSlackMs)
      const endsBeforeRenewal = endsAt && endsAt < untilRenewed
      return { until: endsBeforeRenewal ? endsAt : untilRenewed, reason: 'renews' }
    }
    case 'pending_cancel':
      return { until: endsAt ?? paidOrGivenUntil, reason: 'ends' }
    case 'past_due':
      return { until: pastDueSince && graceEnd(pastDueSince), reason: 'unpaid' }
    case 'paused':
    case 'cancelled':
    case 'expired':
      return null
  }
}

const endTime = ({ until }: Entitlement) => until?.getTime() ?? Number.POSITIVE_INFINITY
