import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'

/** Where a changed purchase shows. */
export const changesPurchase = {
  refreshes: [purchases.adminList, accounts.adminList, overview.adminShow, customers.adminShow],
}
