import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import * as z from '#contract/zod.ts'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Input } from '#web/ui/input.tsx'
import { useRowCall } from '../lists/use-pages.ts'
import { changesPurchase } from '../purchases/purchase-actions.ts'

const form = z.object({ until: z.string().check(z.minLength(1, 'Please choose a day')) })
const day = 86_400_000
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Suggests two weeks: what one gives for a trouble. */
export function ExtendDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const extend = useRowCall(purchases.adminExtend, {
    ...changesPurchase,
    succeeded: { title: 'Extended', description: 'The buyer gets an email.' },
    failed: 'Failed to extend',
    onSuccess: onClose,
  })
  const present = Date.parse(purchase.endsAt ?? purchase.currentPeriodEnd ?? purchase.createdAt)
  return (
    <FormDialog
      title="Extend"
      description="Gives time at no charge. The next payment, or the end, moves to this day."
      schema={form}
      onSubmit={({ until }) => extend.mutateAsync({ id: purchase.id, until })}
      button={{ pendingText: 'Extending...', children: 'Extend' }}
      onClose={onClose}
    >
      <Field name="until" label="Until the end of" hint="The day in UTC.">
        <Input type="date" required min={isoDay(present)} defaultValue={isoDay(present + 14 * day)} />
      </Field>
    </FormDialog>
  )
}
