import type { ManagedPurchase } from '#contract/selling/purchases.ts'

/** Marks what was paid before the shop moved to another Stripe account. */
export function FormerAccount(props: { purchase: Pick<ManagedPurchase, 'formerAccount'>; className: string }) {
  const { formerAccount } = props.purchase
  if (!formerAccount) return null
  return (
    <span className={props.className} title={formerAccount}>
      former Stripe account
    </span>
  )
}
