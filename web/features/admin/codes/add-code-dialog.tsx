import { useState } from 'react'
import * as z from 'zod/mini'
import { planByName } from '#contract/plans.ts'
import { codes } from '#contract/selling/codes.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useSoldPlans } from '#web/api/settings.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { centsOf, dollarAmount } from '../parts/dollars.ts'
import { useProducts } from '../parts/products.tsx'
import { CodeExample } from './code-example.tsx'

const optionalNumber = z.pipe(
  z.string(),
  z.transform((text) => (text.trim() ? Number(text) : undefined)),
)
const optionalValue = z.pipe(
  z._default(z.string(), ''),
  z.transform((text) => text || undefined),
)
const codeForm = z.object({
  code: z.string().check(z.trim(), z.minLength(3, 'Please enter at least 3 characters')),
  productId: optionalValue,
  billingType: z.pipe(
    z.string(),
    z.transform((name) => planByName(name)?.key),
  ),
  from: optionalValue,
  until: optionalValue,
  maxUses: optionalNumber,
  newOnly: z.pipe(
    z._default(z.string(), ''),
    z.transform((checkboxValue) => checkboxValue !== ''),
  ),
  months: optionalNumber,
  // The form shows either percent or amount.
  percentOff: z.optional(optionalNumber),
  amountOff: z.optional(dollarAmount),
})

const durationTexts = { once: 'once', months: 'some months', always: 'always' }
type Duration = keyof typeof durationTexts

/** Months in the call's format: 0 for one payment, undefined for always. */
function monthsOf(duration: Duration, months: number | undefined) {
  if (duration === 'always') return undefined
  return duration === 'once' ? 0 : months
}

export function AddCodeDialog({ onClose }: { onClose: () => void }) {
  const products = useProducts()
  const soldPlans = useSoldPlans()
  const [isPercent, setIsPercent] = useState(true)
  const [duration, setDuration] = useState<Duration>('once')
  const [discountText, setDiscountText] = useState('')
  const [monthsText, setMonthsText] = useState('3')
  const [plan, setPlan] = useState('')
  return (
    <CallDialog
      title="New code"
      description="At least $1.00 must remain to pay. To give it for free, book a gift instead."
      call={codes.adminAdd}
      options={{ succeeded: 'Code added', failed: 'Failed to add it' }}
      schema={codeForm}
      // Leaves out fields that were not filled in.
      inputOf={({ months, newOnly, ...fields }) => {
        const entries = Object.entries({ ...fields, months: monthsOf(duration, months) })
        const filledFields = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
        return { ...filledFields, code: fields.code, newOnly }
      }}
      button={{ pendingText: 'Adding...', children: 'Add code' }}
      onClose={onClose}
    >
      <Field name="code" label="Code" hint="Letters, digits and hyphens; upper and lower case are the same.">
        <Input autoComplete="off" autoCapitalize="characters" required placeholder="SPRING20" />
      </Field>
      <div className="grid grid-cols-2 gap-4">
        <Field name="unit" label="Discount in">
          <Select value={isPercent ? '%' : '$'} onChange={({ target }) => setIsPercent(target.value === '%')}>
            <option value="%">percent</option>
            <option value="$">dollars</option>
          </Select>
        </Field>
        {isPercent ? (
          <Field name="percentOff" label="Percent off">
            <Input
              inputMode="numeric"
              autoComplete="off"
              required
              placeholder="20"
              onChange={({ target }) => setDiscountText(target.value)}
            />
          </Field>
        ) : (
          <Field name="amountOff" label="Dollars off">
            <Input
              inputMode="decimal"
              autoComplete="off"
              required
              placeholder="10.00"
              onChange={({ target }) => setDiscountText(target.value)}
            />
          </Field>
        )}
        <Field name="duration" label="How long">
          <Select
            options={Object.entries(durationTexts)}
            value={duration}
            onChange={({ target }) => setDuration(target.value as Duration)}
          />
        </Field>
        {duration === 'months' ? (
          <Field name="months" label="Months">
            <Input
              inputMode="numeric"
              autoComplete="off"
              required
              value={monthsText}
              onChange={({ target }) => setMonthsText(target.value)}
            />
          </Field>
        ) : (
          <input type="hidden" name="months" value="" />
        )}
        <Field name="billingType" label="Plan" className="col-start-1">
          <Select
            value={plan}
            onChange={({ target }) => setPlan(target.value)}
            options={[['', 'every plan'], ...soldPlans.map(({ key }) => [key, key] as const)]}
          />
        </Field>
        <Field name="maxUses" label="Uses (optional)">
          <Input inputMode="numeric" autoComplete="off" placeholder="no limit" />
        </Field>
        <Field name="from" label="From (optional)" className="max-sm:col-span-2">
          <Input type="date" />
        </Field>
        <Field name="until" label="Until (optional)" className="max-sm:col-span-2">
          <Input type="date" />
        </Field>
      </div>
      {products.length > 1 && (
        <Field name="productId" label="Product">
          <Select
            defaultValue=""
            options={[['', 'all products'], ...products.map(({ id, name }) => [id, name] as const)]}
          />
        </Field>
      )}
      <CodeExample
        percentOff={isPercent ? Number(discountText) || null : null}
        amountOff={isPercent ? null : (centsOf(discountText) ?? null)}
        months={monthsOf(duration, Number(monthsText) || 0)}
        billingType={planByName(plan)?.key}
      />
      <Checkbox name="newOnly" label="Only for new customers" />
    </CallDialog>
  )
}
