import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { type PurchaseStatus, statusTexts } from '#contract/statuses.ts'
import { Badge } from '#web/ui/notice.tsx'

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

export const changesPurchase = {
  refreshes: [purchases.adminList, accounts.adminList, overview.adminShow, customers.adminShow],
}
