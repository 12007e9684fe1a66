import type { ManagedPurchase } from '#contract/selling/purchases-admin.ts'

export function FormerAccount(props: { purchase: Pick<ManagedPurchase, 'formerAccount'>; className: string }) {
  const { formerAccount } = props.purchase
  if (!formerAccount) return null
  return (
    <span className={props.className} title={formerAccount}>
      former Stripe account
    </span>
  )
}
