import { useState } from 'react'
import { planOf, plansWithPrice } from '#contract/plans.ts'
import { planSaving } from '#contract/selling/plan-saving.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import { useSettings } from '#web/api/settings.tsx'
import SwitchDialog from '#web/features/selling/checkout/switch-dialog.tsx'
import { TextButton } from '#web/ui/button.tsx'

/** Offers an immediate switch to the longest plan. For a shorter plan, explains how to cancel and subscribe again. */
export function PlanSwitch({ purchase }: { purchase: Purchase }) {
  const [isOpen, setIsOpen] = useState(false)
  const { billingType, period, status, amount, paidThrough, product } = purchase
  const productPlans = plansWithPrice(useSettings().prices[product.slug] ?? {})
  const shortest = productPlans[0]
  const longest = productPlans.at(-1)
  const { months } = planOf(billingType)
  if (paidThrough !== 'stripe' || !shortest || !longest) return null
  if (longest.months > months) {
    if (status !== 'active') return null
    const saving = planSaving({ amount, months }, { amount: longest.price.amount, months: longest.months })
    return (
      <>
        <TextButton className="self-start text-left text-sm" onClick={() => setIsOpen(true)}>
          Switch to {longest.key}
          {saving && ` and save ${saving.saved} a ${longest.period}`}
        </TextButton>
        {isOpen && <SwitchDialog purchase={purchase} onClose={() => setIsOpen(false)} />}
      </>
    )
  }
  if (shortest.months >= months) return null
  if (status !== 'active' && status !== 'pending_cancel') return null
  return (
    <p className="text-sm text-muted">
      {status === 'active'
        ? `Would you rather pay ${shortest.key}? Cancel now, and start ${shortest.key} when your ${period} ends.`
        : `Your access ends with your subscription and returns once you’ve paid for the ${shortest.key} plan. We’ll email you the link.`}
    </p>
  )
}
