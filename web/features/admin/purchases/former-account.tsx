import type { ManagedPurchase } from '#contract/selling/purchases.ts'

/** Marks a purchase that runs on the shop's former Stripe account. */
export function FormerAccount(props: { purchase: Pick<ManagedPurchase, 'formerAccount'>; className: string }) {
  const { formerAccount } = props.purchase
  if (!formerAccount) return null
  return (
    <span className={props.className} title={formerAccount}>
      former Stripe account
    </span>
  )
}
