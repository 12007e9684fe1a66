import { useState } from 'react'
import type { Purchase } from '#contract/selling/purchases.ts'
import { yearlySaving } from '#contract/selling/yearly-saving.ts'
import { useSettings } from '#web/api/settings.tsx'
import SwitchDialog from '#web/features/selling/checkout/switch-dialog.tsx'
import { TextButton } from '#web/ui/button.tsx'

/** Another plan: to yearly now, to monthly by cancelling and starting again. */
export function PlanSwitch({ purchase }: { purchase: Purchase }) {
  const [open, setOpen] = useState(false)
  const { billingType, status, amount, paidThrough, product } = purchase
  const yearly = useSettings().prices[product.slug]?.yearly
  if (paidThrough !== 'stripe') return null
  if (billingType === 'yearly') {
    if (status !== 'active' && status !== 'pending_cancel') return null
    return (
      <p className="text-sm text-muted">
        {status === 'active'
          ? 'Would you rather pay monthly? Cancel now, and start monthly when your year ends.'
          : 'Your access ends with your year and returns once you’ve paid for the monthly plan. We’ll email you the link.'}
      </p>
    )
  }
  if (status !== 'active' || yearly === undefined) return null
  const saving = yearlySaving({ monthly: amount, yearly })
  return (
    <>
      <TextButton className="self-start text-left text-sm" onClick={() => setOpen(true)}>
        Switch to yearly{saving && ` and save ${saving.saved} a year`}
      </TextButton>
      {open && <SwitchDialog purchase={purchase} onClose={() => setOpen(false)} />}
    </>
  )
}
