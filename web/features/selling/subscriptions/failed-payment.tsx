import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { exactDollars } from '#contract/money.ts'
import type { Purchase } from '#contract/selling/purchases.ts'
import CardUpdateDialog from '#web/features/selling/checkout/card-update-dialog.tsx'
import { useBankConfirmation } from '#web/features/selling/checkout/use-bank-confirmation.ts'
import { Button } from '#web/ui/button.tsx'
import { Time } from '#web/ui/time.tsx'

export function FailedPayment({ purchase }: { purchase: Purchase }) {
  const [isUpdatingCard, setIsUpdatingCard] = useState(false)
  const { amount, dueAmount, product, graceEndsAt, awaitsBank } = purchase
  const confirmation = useBankConfirmation(purchase.id)
  return (
    <section
      aria-label="Failed payment"
      className="flex flex-wrap items-center gap-x-6 gap-y-4 rounded-lg border border-danger bg-danger-soft p-5"
    >
      <TriangleAlert className="size-6 shrink-0 text-danger max-sm:hidden" />
      <div className="min-w-64 flex-1">
        <h2 className="text-xl text-danger">
          We couldn’t charge {exactDollars(dueAmount ?? amount)} for {product.name}
        </h2>
        <p>
          {awaitsBank
            ? 'Your bank wants you to confirm this payment. Your card is fine.'
            : 'Pay with another card to keep your subscription.'}
          <Time before=" You keep access until" value={graceEndsAt} after="." />
        </p>
      </div>
      {awaitsBank && (
        <Button disabled={confirmation.isPending} onClick={() => confirmation.mutate()}>
          Confirm with your bank
        </Button>
      )}
      {purchase.paidThrough === 'stripe' && (
        <Button variant={awaitsBank ? 'secondary' : 'primary'} onClick={() => setIsUpdatingCard(true)}>
          Pay with another card
        </Button>
      )}
      {isUpdatingCard && <CardUpdateDialog purchase={purchase} onClose={() => setIsUpdatingCard(false)} />}
    </section>
  )
}
