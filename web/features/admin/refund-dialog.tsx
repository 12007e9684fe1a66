import { type ComponentProps, useId, useState } from 'react'
import { accounts } from '#contract/accounts.ts'
import { overview } from '#contract/overview.ts'
import { type Purchase, purchases } from '#contract/purchases.ts'
import * as z from '#contract/zod.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { dollarAmount, money } from './dollars.ts'
import { useRowCall } from './use-pages.ts'

const all = z.object({})
const part = z.object({ amount: dollarAmount.check(z.minimum(1, 'Please enter an amount like 39.99')) })

export function RefundDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [inFull, setInFull] = useState(true)
  const refund = useRowCall(purchases.adminRefund, {
    list: purchases.adminList,
    refreshes: [accounts.adminList, overview.adminShow],
    succeeded: 'Refund sent successfully',
    failed: 'Failed to refund',
    onSuccess: onClose,
  })
  const { id, user, refundedAmount } = purchase
  return (
    <Dialog
      title="Refund"
      description={`Refund the latest payment from ${user.email} to their card.${refundedAmount > 0 ? ` ${money(refundedAmount)} has already been refunded.` : ''}`}
      onClose={onClose}
    >
      <Form
        key={String(inFull)}
        schema={inFull ? all : part}
        aria-label="Refund"
        className="flex flex-col gap-4"
        onSubmit={(typed) => refund.mutateAsync({ id, refundedSoFar: refundedAmount, ...typed })}
      >
        <fieldset className="flex flex-col gap-3">
          <legend className="sr-only">How much</legend>
          <Choice label="Full refund" checked={inFull} onChange={() => setInFull(true)}>
            The rest of the payment. The subscription ends immediately.
          </Choice>
          <Choice label="Partial refund" checked={!inFull} onChange={() => setInFull(false)}>
            The subscription continues.
          </Choice>
        </fieldset>
        {!inFull && (
          <Field name="amount" label="Amount in dollars">
            <Input inputMode="decimal" autoComplete="off" placeholder="39.00" />
          </Field>
        )}
        <DialogButtons onClose={onClose}>
          <SubmitButton variant="danger" pendingText="Refunding...">
            Refund
          </SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

function Choice({ label, children, ...rest }: ComponentProps<'input'> & { label: string }) {
  const id = useId()
  return (
    <div className="rounded-md border border-line p-4 has-checked:border-accent has-checked:bg-accent-soft">
      <label className="flex cursor-pointer items-center gap-3 font-medium">
        <input type="radio" name="kind" aria-describedby={id} className="size-4.5 accent-accent" {...rest} />
        {label}
      </label>
      <p id={id} className="pl-7.5 text-sm text-muted">
        {children}
      </p>
    </div>
  )
}
