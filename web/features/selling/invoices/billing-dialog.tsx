import { countryNames } from '#contract/country-names.ts'
import { billing, countries } from '#contract/selling/billing.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'

export default function BillingDialog({ onClose }: { onClose: () => void }) {
  // Loaded on each mount, because the fields copy the values once. The checkout may have older ones in the cache.
  const query = useData(billing.details, {}, { gcTime: 0 })
  const data = query.isFetchedAfterMount ? query.data : undefined
  return (
    <CallDialog
      title="Billing details"
      description="Shown on future invoices."
      call={billing.save}
      options={{
        refreshes: [billing.details],
        succeeded: { title: 'Billing details saved', description: 'Shown on future invoices.' },
        failed: 'Failed to save billing details',
      }}
      button={{ pendingText: 'Saving...', children: 'Save', disabled: !data }}
      onClose={onClose}
    >
      {data ? (
        <div className="grid gap-4 sm:grid-cols-2">
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
                ...countries.map((code) => [code, countryNames.of(code)] as const),
              ]}
            />
          </Field>
          <Field name="vatId" label="VAT ID">
            <Input maxLength={24} autoComplete="off" defaultValue={data.vatId} />
          </Field>
        </div>
      ) : (
        <Pending query={query} what="your billing details" className="h-80" />
      )}
    </CallDialog>
  )
}
