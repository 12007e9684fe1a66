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

/** `until` is null for no end. */
export type Entitlement = { until: Date | null; reason: EntitlementReason }

export type EntitlementSettings = {
  /** An open dispute keeps what is there but adds nothing to it; otherwise it changes nothing. */
  freezesAccessDuringDispute: boolean
}

/** Effects on the access area, in the same transaction. */
export type AccessEffects = Pick<AreaEvents, 'purchasesChanged' | 'usernameEntered' | 'unlocksItself'>

const day = 86_400_000
/** Stripe leaves a renewal's invoice as a draft for about an hour, and may then retry the card. */
const renewalSlack = 3 * day
export const graceDays = 14

export const graceEnd = (pastDueSince: Date) => new Date(pastDueSince.getTime() + graceDays * day)

/** Entitlement by docs/entitlements.md. The longest purchase wins; `held` applies during a dispute. */
export function entitlementOf(
  purchases: PurchaseFacts[],
  settings: EntitlementSettings,
  held: Entitlement | null,
): Entitlement | null {
  return purchases
    .map((purchase) => ofPurchase(purchase, settings, held))
    .reduce((longest, each) => (each && (!longest || lasts(each) > lasts(longest)) ? each : longest), null)
}

function ofPurchase(
  purchase: PurchaseFacts,
  settings: EntitlementSettings,
  held: Entitlement | null,
): Entitlement | null {
  const regular = byStatus(purchase)
  if (!regular || !purchase.isDisputed || !settings.freezesAccessDuringDispute) return regular
  if (!held) return null
  return { until: lasts(held) < lasts(regular) ? held.until : regular.until, reason: 'disputed' }
}

function byStatus({
  status,
  paidUntil,
  givenUntil,
  endsAt,
  pastDueSince,
}: Omit<PurchaseFacts, 'isDisputed'>): Entitlement | null {
  const paid = paidUntil && new Date(Math.max(paidUntil.getTime(), givenUntil?.getTime() ?? 0))
  switch (status) {
    case 'active': {
      // Booked by hand until a day: nothing renews it.
      if (!paid) return endsAt ? { until: endsAt, reason: 'ends' } : { until: null, reason: 'renews' }
      const renewed = new Date(paid.getTime() + renewalSlack)
      return { until: endsAt && endsAt < renewed ? endsAt : renewed, reason: 'renews' }
    }
    case 'pending_cancel':
      return { until: endsAt ?? paid, reason: 'ends' }
    case 'past_due':
      return { until: pastDueSince && graceEnd(pastDueSince), reason: 'unpaid' }
    case 'paused':
    case 'cancelled':
    case 'expired':
      return null
  }
}

const lasts = ({ until }: Entitlement) => until?.getTime() ?? Number.POSITIVE_INFINITY
