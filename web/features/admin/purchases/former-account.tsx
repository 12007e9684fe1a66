import type { ManagedPurchase } from '#contract/selling/purchases.ts'

/** Badge for payments on the Stripe account that the shop used before. */
export function FormerAccount(props: { purchase: Pick<ManagedPurchase, 'formerAccount'>; className: string }) {
  const { formerAccount } = props.purchase
  if (!formerAccount) return null
  return (
    <span className={props.className} title={formerAccount}>
      former Stripe account
    </span>
  )
}
