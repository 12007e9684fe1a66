import type { PurchaseStatus } from '#contract/purchases.ts'
import { Badge } from '#web/ui/badge.tsx'

const tones = {
  active: 'good',
  pending_cancel: 'warning',
  past_due: 'bad',
  cancelled: 'neutral',
  expired: 'neutral',
} as const

/** Statuses as they are, except the spec's one in words. */
export const statusText: Record<PurchaseStatus, string> = {
  active: 'active',
  pending_cancel: 'Cancels at period end',
  past_due: 'past due',
  cancelled: 'cancelled',
  expired: 'expired',
}

export function StatusBadge({ status }: { status: PurchaseStatus }) {
  return <Badge tone={tones[status]}>{statusText[status]}</Badge>
}
