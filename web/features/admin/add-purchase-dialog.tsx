import { useState } from 'react'
import { accounts } from '#contract/accounts.ts'
import { catalog } from '#contract/catalog.ts'
import { billingType, id } from '#contract/fields.ts'
import { overview } from '#contract/overview.ts'
import { purchases } from '#contract/purchases.ts'
import { billingTypes, bookableStatuses } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { dollarAmount } from './dollars.ts'
import { UserPicker } from './user-picker.tsx'

const form = z.object({
  userId: z.uuid('Please choose a user'),
  productId: id(z),
  billingType: billingType(z),
  amount: dollarAmount,
  status: z.enum(bookableStatuses),
})

export function AddPurchaseDialog({ onClose }: { onClose: () => void }) {
  const [userId, setUserId] = useState('')
  const products = useData(catalog.list, {})
  const add = useCall(purchases.adminAdd, {
    refreshes: [purchases.adminList, accounts.adminList, overview.adminShow],
    succeeded: 'Purchase created successfully',
    failed: 'Failed to create purchase',
    onSuccess: onClose,
  })
  return (
    <Dialog title="Add Purchase" onClose={onClose}>
      <Form
        schema={form}
        extra={{ userId }}
        aria-label="Add Purchase"
        className="flex flex-col gap-4"
        onSubmit={(purchase) => add.mutateAsync(purchase)}
      >
        <Field name="userId" label="User">
          <UserPicker onPick={setUserId} />
        </Field>
        <Field name="productId" label="Product">
          <Select>
            {products.data?.map((product) => (
              <option key={product.id} value={product.id}>
                {product.name}
              </option>
            ))}
          </Select>
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field name="billingType" label="Billing Type">
            <Select>
              {billingTypes.map((billing) => (
                <option key={billing}>{billing}</option>
              ))}
            </Select>
          </Field>
          <Field name="amount" label="Amount in dollars">
            <Input type="text" inputMode="decimal" step="0.01" autoComplete="off" placeholder="39.00" />
          </Field>
        </div>
        <Field name="status" label="Status">
          <Select>
            {bookableStatuses.map((status) => (
              <option key={status}>{status}</option>
            ))}
          </Select>
        </Field>
        <DialogButtons onClose={onClose}>
          <SubmitButton pendingText="Creating...">Create Purchase</SubmitButton>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
