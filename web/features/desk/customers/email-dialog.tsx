import { type Customer, customers } from '#contract/desk/customers.ts'
import { email } from '#contract/fields.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { Input } from '#web/ui/input.tsx'

const form = z.object({ email: email(z) })

export function EmailDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const correct = useCall(customers.adminCorrectEmail, {
    refreshes: [customers.adminShow, accounts.adminList, purchases.adminList],
    succeeded: { title: 'Email corrected', description: 'Both addresses get an email.' },
    failed: 'Failed to correct the email',
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="Correct email"
      description={`For an address that was mistyped. ${customer.email} is told, every device is logged out, and the new address gets a link to set a password.`}
      schema={form}
      onSubmit={(typed) => correct.mutateAsync({ id: customer.id, ...typed })}
      button={{ pendingText: 'Correcting...', children: 'Correct email' }}
      onClose={onClose}
    >
      <Field name="email" label="New email">
        <Input type="email" autoComplete="off" required maxLength={254} defaultValue={customer.email} />
      </Field>
    </FormDialog>
  )
}
