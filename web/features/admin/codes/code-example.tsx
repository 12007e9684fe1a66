import { exactDollars } from '#contract/money.ts'
import { priceAfterDiscount } from '#contract/selling/charges.ts'
import type { BillingType } from '#contract/statuses.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'

type Discount = {
  percentOff: number | null
  amountOff: number | null
  /** 0 for one payment, undefined for always. */
  months: number | undefined
  /** Undefined for all plans. */
  billingType: BillingType | undefined
}

/** Payments of a buyer with the code for each plan, at the prices of the first product. */
export function CodeExample({ months, billingType, ...off }: Discount) {
  const sold = usePlans(useSettings().products[0].slug)
  if (!off.percentOff && !off.amountOff) return null
  const plans = sold.filter(({ key }) => !billingType || key === billingType)
  const longer = plans.filter((plan) => months !== undefined && months > 0 && months < plan.months)
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {plans.map(({ key: plan, amount, period, months: step }) => {
        const [reduced, price] = [exactDollars(priceAfterDiscount(amount, off)), exactDollars(amount)]
        const isOnce = months !== undefined && months <= step
        return (
          <p key={plan}>
            A {plan} buyer pays{' '}
            {months === undefined
              ? `${reduced} every ${period}.`
              : isOnce
                ? `${reduced} for the first ${period}, then ${price} every ${period}.`
                : `${reduced} every ${period} for ${months} months, then ${price}.`}
          </p>
        )
      })}
      {longer.map(({ key, period }) => (
        <p key={key} role="status" className="font-medium text-warning">
          A {period} is paid at once, so the discount comes off all of it. To give it for {months} months only, choose
          the {sold[0].key} plan.
        </p>
      ))}
    </div>
  )
}
