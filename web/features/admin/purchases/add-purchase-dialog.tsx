import { useState } from 'react'
import * as z from 'zod/mini'
import type { InputOf } from '#contract/endpoint.ts'
import { billingType, cents, id, optionalText } from '#contract/fields.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import {
  type BookableStatus,
  type BookingKind,
  bookableStatuses,
  bookingKinds,
  bookingKindTexts,
} from '#contract/statuses.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { useSoldPlans } from '#web/api/settings.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { MoreOptions } from '../parts/dialog-parts.tsx'
import { dollarAmount } from '../parts/dollars.ts'
import { UserPicker } from './user-picker.tsx'

const sharedFields = {
  userId: z.uuid('Please choose a user'),
  productId: id,
  billingType: billingType,
  status: z.enum(bookableStatuses),
  kind: z.enum(bookingKinds),
  reason: optionalText(500),
  invite: z.boolean(),
  // Typed in the seller's time zone; empty if the purchase has no end.
  endsAt: z.pipe(
    z.optional(z.string()),
    z.transform((local) => (local ? new Date(local).toISOString() : undefined)),
  ),
}
const paidElsewhere = z.object({ ...sharedFields, amount: dollarAmount })
const gift = z.object({ ...sharedFields, amount: z._default(cents, 0) })

export function AddPurchaseDialog({ onClose }: { onClose: () => void }) {
  const [userId, setUserId] = useState('')
  const [sendsInvite, setSendsInvite] = useState(false)
  const [kind, setKind] = useState<BookingKind>('paid_elsewhere')
  const [status, setStatus] = useState<BookableStatus>('active')
  const products = useData(catalog.list, {})
  const isActive = status === 'active'
  return (
    <CallDialog
      title="Add Purchase"
      call={purchasesAdmin.add}
      options={{ succeeded: 'Purchase created successfully', failed: 'Failed to create purchase' }}
      schema={kind === 'gift' ? gift : paidElsewhere}
      extra={{ userId, invite: sendsInvite && isActive }}
      // Leaves out optional fields that were not filled in.
      inputOf={({ kind: chosenKind, reason, invite, ...purchase }) => {
        const input: InputOf<typeof purchasesAdmin.add> = purchase
        if (chosenKind === 'gift') input.kind = chosenKind
        if (reason) input.reason = reason
        if (invite) input.invite = invite
        return input
      }}
      button={{ pendingText: 'Creating...', children: 'Create Purchase' }}
      onClose={onClose}
    >
      <Field name="userId" label="User">
        <UserPicker onPick={setUserId} />
      </Field>
      <Field name="productId" label="Product">
        <Select options={products.data?.map((product) => [product.id, product.name]) ?? []} />
      </Field>
      <Field name="billingType" label="Billing Type">
        <Select options={useSoldPlans().map(({ key }) => [key, key])} />
      </Field>
      {kind === 'gift' ? (
        <p className="text-sm text-muted">Free, and not counted as revenue.</p>
      ) : (
        <Field name="amount" label="Amount in dollars">
          <Input type="text" inputMode="decimal" step="0.01" autoComplete="off" placeholder="39.00" />
        </Field>
      )}
      <Field name="status" label="Status">
        <Select
          options={bookableStatuses.map((bookableStatus) => [bookableStatus, bookableStatus])}
          value={status}
          onChange={({ target }) => setStatus(target.value as BookableStatus)}
        />
      </Field>
      <Field name="kind" label="Kind">
        <Select
          options={Object.entries(bookingKindTexts)}
          value={kind}
          onChange={({ target }) => setKind(target.value as BookingKind)}
        />
      </Field>
      <MoreOptions>
        <Field name="reason" label="Reason (optional)">
          <Input maxLength={500} autoComplete="off" placeholder="Reason for the manual entry" />
        </Field>
        {isActive && (
          <Field name="endsAt" label="Ends" hint="Leave it empty for no end.">
            <Input type="datetime-local" />
          </Field>
        )}
        {isActive && <Checkbox label="Tell the buyer by email" checked={sendsInvite} onTick={setSendsInvite} />}
      </MoreOptions>
    </CallDialog>
  )
}
