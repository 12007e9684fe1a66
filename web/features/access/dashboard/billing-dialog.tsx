import { billing, countries } from '#contract/selling/billing.ts'
import * as z from '#contract/zod.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { LoadError } from './part.tsx'

const schema = billing.save.input(z)
const nameOf = new Intl.DisplayNames('en', { type: 'region' })

/** What a company needs on its invoices. */
export default function BillingDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Billing details" description="Shown on future invoices." onClose={onClose}>
      <Details onClose={onClose} />
    </Dialog>
  )
}

function Details({ onClose }: { onClose: () => void }) {
  const { data, isError, refetch } = useData(billing.details, {})
  const save = useCall(billing.save, {
    refreshes: [billing.details],
    succeeded: { title: 'Billing details saved', description: 'Shown on future invoices.' },
    failed: 'Failed to save billing details',
    onSuccess: onClose,
  })
  if (isError) return <LoadError what="your billing details" retry={refetch} />
  if (!data) return <Skeleton className="h-80" />
  return (
    <Form
      schema={schema}
      aria-label="Billing details"
      className="grid gap-4 sm:grid-cols-2"
      onSubmit={(details) => save.mutateAsync(details)}
    >
      <Field name="company" label="Company" className="sm:col-span-2">
        <Input maxLength={100} autoComplete="organization" defaultValue={data.company} />
      </Field>
      <Field name="street" label="Street" className="sm:col-span-2">
        <Input maxLength={100} autoComplete="street-address" defaultValue={data.street} />
      </Field>
      <Field name="postalCode" label="Postal code">
        <Input maxLength={20} autoComplete="postal-code" defaultValue={data.postalCode} />
      </Field>
      <Field name="city" label="City">
        <Input maxLength={100} autoComplete="address-level2" defaultValue={data.city} />
      </Field>
      <Field name="country" label="Country">
        <Select
          autoComplete="country"
          defaultValue={data.country}
          options={[
            ['', 'Choose your country'],
            ...countries.map((code) => [code, nameOf.of(code)] as const),
          ]}
        />
      </Field>
      <Field name="vatId" label="VAT ID">
        <Input maxLength={24} autoComplete="off" defaultValue={data.vatId} />
      </Field>
      <div className="flex justify-end gap-3 pt-1 max-sm:flex-col-reverse sm:col-span-2">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton pendingText="Saving...">Save</SubmitButton>
      </div>
    </Form>
  )
}
