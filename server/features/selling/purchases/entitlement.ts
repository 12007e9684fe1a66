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

const dayMs = 86_400_000
/** Stripe leaves a renewal's invoice as a draft for about an hour, and may then retry the card. */
const renewalSlackMs = 3 * dayMs
export const graceDays = 14

export const graceEnd = (pastDueSince: Date) => new Date(pastDueSince.getTime() + graceDays * dayMs)

/** `current` is the stored entitlement, which a dispute may freeze. The rules are in docs/entitlements.md. */
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
  if (!regular || !purchase.isDisputed || !settings.freezesAccessDuringDispute) return regular
  if (!current) return null
  return { until: endTime(current) < endTime(regular) ? current.until : regular.until, reason: 'disputed' }
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
      // A purchase booked by hand has no paid period and never renews.
      if (!paidOrGivenUntil) return endsAt ? { until: endsAt, reason: 'ends' } : { until: null, reason: 'renews' }
      const untilRenewed = new Date(paidOrGivenUntil.getTime() + renewalSlackMs)
      return { until: endsAt && endsAt < untilRenewed ? endsAt : untilRenewed, reason: 'renews' }
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
