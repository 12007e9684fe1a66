import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { useCall } from '#web/api/use-call.ts'
import { confirm } from '#web/ui/confirm.tsx'

/** Where a changed purchase shows. */
export const changesPurchase = {
  refreshes: [purchases.adminList, accounts.adminList, overview.adminShow, customers.adminShow],
}

export const isRefundable = ({ paymentIntentId, endedBecause }: Purchase) =>
  paymentIntentId !== null && endedBecause !== 'refunded'

export function useCancelPurchase() {
  const cancel = useCall(purchases.adminCancel, {
    ...changesPurchase,
    succeeded: 'Purchase cancelled successfully',
    failed: 'Failed to cancel purchase',
  })
  return async function askAndCancel({ id, user }: Purchase) {
    const yes = await confirm({
      title: 'Cancel purchase',
      description: `Cancel purchase for ${user.email}?`,
      action: 'Cancel purchase',
      cancel: 'Keep it',
      destructive: true,
    })
    if (yes) cancel.mutate({ id })
  }
}
