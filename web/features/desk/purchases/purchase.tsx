import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { type PurchaseStatus, statusTexts, statusTones } from '#contract/statuses.ts'
import { Badge } from '#web/ui/notice.tsx'

export function StatusBadge({ status }: { status: PurchaseStatus }) {
  return <Badge tone={statusTones[status]}>{statusTexts[status]}</Badge>
}

export const changesPurchase = {
  refreshes: [purchases.adminList, accounts.adminList, overview.adminShow, customers.adminShow],
}
