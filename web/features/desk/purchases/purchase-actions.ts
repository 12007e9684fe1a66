import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'

/** Where a changed purchase shows. */
export const changesPurchase = {
  refreshes: [purchases.adminList, accounts.adminList, overview.adminShow, customers.adminShow],
}

export const isRefundable = ({ paymentIntentId, endedBecause }: Purchase) =>
  paymentIntentId !== null && endedBecause !== 'refunded'
