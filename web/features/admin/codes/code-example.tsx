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

/** Uses the prices of the first product. */
export function CodeExample({ months, billingType, ...discount }: Discount) {
  const soldPlans = usePlans(useSettings().products[0].slug)
  if (!discount.percentOff && !discount.amountOff) return null
  const plans = soldPlans.filter(({ key }) => !billingType || key === billingType)
  const endsInside = (periodMonths: number) => months !== undefined && months > 0 && months < periodMonths
  const plansLongerThanDiscount = plans.filter((plan) => endsInside(plan.months))
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {plans.map(({ key: plan, amount, period, months: periodMonths }) => {
        const reduced = exactDollars(priceAfterDiscount(amount, discount))
        const regular = exactDollars(amount)
        const describePayments = () => {
          if (months === undefined) return `${reduced} every ${period}.`
          if (months <= periodMonths) return `${reduced} for the first ${period}, then ${regular} every ${period}.`
          return `${reduced} every ${period} for ${months} months, then ${regular}.`
        }
        return (
          <p key={plan}>
            A {plan} buyer pays {describePayments()}
          </p>
        )
      })}
      {plansLongerThanDiscount.map(({ key, period }) => (
        <p key={key} role="status" className="font-medium text-warning">
          A {period} is paid at once, so the discount comes off all of it. To give it for {months} months only, choose
          the {soldPlans[0].key} plan.
        </p>
      ))}
    </div>
  )
}
