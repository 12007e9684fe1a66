import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { confirm } from '#web/ui/confirm.tsx'
import { useRowCall } from '../lists/use-pages.ts'

/** Where a changed purchase shows. */
export const changesPurchase = {
  list: purchases.adminList,
  refreshes: [accounts.adminList, overview.adminShow, customers.adminShow],
}

export const isRefundable = ({ paymentIntentId, endedBecause }: Purchase) =>
  paymentIntentId !== null && endedBecause !== 'refunded'

export function useCancelPurchase() {
  const cancel = useRowCall(purchases.adminCancel, {
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
