import { accounts } from '#contract/accounts.ts'
import { type Customer, customers } from '#contract/customers.ts'
import { email } from '#contract/fields.ts'
import { purchases } from '#contract/purchases.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { DialogButtons } from '../dialog-buttons.tsx'

const form = z.object({ email: email(z) })

export function EmailDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const correct = useCall(customers.adminCorrectEmail, {
    refreshes: [customers.adminShow, accounts.adminList, purchases.adminList],
    succeeded: { title: 'Email corrected', description: 'Both addresses get an email.' },
    failed: 'Failed to correct the email',
    onSuccess: onClose,
  })
  return (
    <Dialog
      title="Correct email"
      description={`For an address that was mistyped. ${customer.email} is told, every device is logged out, and the new address gets a link to set a password.`}
      onClose={onClose}
    >
      <Form
        schema={form}
        aria-label="Correct email"
        className="flex flex-col gap-5"
        onSubmit={(typed) => correct.mutateAsync({ id: customer.id, ...typed })}
      >
        <Field name="email" label="New email">
          <Input type="email" autoComplete="off" required maxLength={254} defaultValue={customer.email} />
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton pendingText="Correcting...">Correct email</SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
