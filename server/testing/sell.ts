import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import type { TestShop } from './open-shop.ts'

/** Makes every call of the shop to Stripe: purchase, cancellation, resumption, card update, refund, failed renewal. */
export async function sell(shop: TestShop) {
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  await buyer.call(purchases.cancel, { id })
  await buyer.call(purchases.resume, { id })
  await shop.changeCard(buyer, id, 'pm_card_mastercard')
  await buyer.call(purchases.invoices, { id })
  const guest = shop.visitor()
  await shop.guest(guest)
  await shop.settle()
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.refund, { id, amount: 500, refundedSoFar: 0 })
  await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await shop.advance(1, 'month')
  await shop.advance(15, 'day')
  await shop.settle()
}
