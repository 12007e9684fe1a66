import { exactDollars } from '#contract/money.ts'
import { afterDiscount } from '#contract/selling/charges.ts'
import { type BillingType, billingTypes } from '#contract/statuses.ts'
import { useSettings } from '#web/api/settings.tsx'

type Discount = {
  percentOff: number | null
  amountOff: number | null
  /** 0 for one payment, undefined for always. */
  months: number | undefined
  /** Both plans, if undefined. */
  billingType: BillingType | undefined
}

const periods = { monthly: 'month', yearly: 'year' }

/** What a buyer of each plan would pay with a code, at the prices of the first product. */
export function CodeExample({ months, billingType, ...off }: Discount) {
  const [prices] = Object.values(useSettings().prices)
  if (!prices || (!off.percentOff && !off.amountOff)) return null
  const plans = billingTypes.filter((plan) => !billingType || plan === billingType)
  const meetsYear = months !== undefined && months > 0 && months < 12 && plans.includes('yearly')
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {plans.map((plan) => {
        const [reduced, price] = [exactDollars(afterDiscount(prices[plan], off)), exactDollars(prices[plan])]
        const period = periods[plan]
        const isOnce = months === 0 || (months !== undefined && plan === 'yearly' && months <= 12)
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
      {meetsYear && (
        <p role="status" className="font-medium text-warning">
          A year is paid at once, so the discount comes off all of it. To give it for {months} months only, choose the
          monthly plan.
        </p>
      )}
    </div>
  )
}
