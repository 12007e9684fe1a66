import { type PurchaseStatus, statusTexts } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'

const tones = {
  active: 'good',
  pending_cancel: 'warning',
  past_due: 'bad',
  paused: 'neutral',
  cancelled: 'neutral',
  expired: 'neutral',
} as const

export function StatusBadge({ status }: { status: PurchaseStatus }) {
  return <Badge tone={tones[status]}>{statusTexts[status]}</Badge>
}
