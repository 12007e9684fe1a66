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

const wholeNumber = z.pipe(
  z.string(),
  z.transform((typed) => (typed.trim() ? Number(typed) : undefined)),
)
const optional = z.pipe(
  z._default(z.string(), ''),
  z.transform((typed) => typed || undefined),
)
const form = z.object({
  code: z.string().check(z.trim(), z.minLength(3, 'Please enter at least 3 characters')),
  productId: optional,
  billingType: z.pipe(
    z.string(),
    z.transform((typed) => planByName(typed)?.key),
  ),
  from: optional,
  until: optional,
  maxUses: wholeNumber,
  newOnly: z.pipe(
    z._default(z.string(), ''),
    z.transform((typed) => typed !== ''),
  ),
  months: wholeNumber,
  // The form shows either percent or amount.
  percentOff: z.optional(wholeNumber),
  amountOff: z.optional(dollarAmount),
})

const durations = { once: 'once', months: 'some months', always: 'always' }
type Duration = keyof typeof durations
const monthsOf = (duration: Duration, months: number | undefined) =>
  duration === 'always' ? undefined : duration === 'once' ? 0 : months

export function AddCodeDialog({ onClose }: { onClose: () => void }) {
  const products = useProducts()
  const sold = useSoldPlans()
  const [isPercent, setIsPercent] = useState(true)
  const [duration, setDuration] = useState<Duration>('once')
  const [off, setOff] = useState('')
  const [typedMonths, setTypedMonths] = useState('3')
  const [plan, setPlan] = useState('')
  return (
    <CallDialog
      title="New code"
      description="At least $1.00 must remain to pay. To give it for free, book a gift instead."
      call={codes.adminAdd}
      options={{ succeeded: 'Code added', failed: 'Failed to add it' }}
      schema={form}
      inputOf={({ months, newOnly, ...wish }) => {
        const given = Object.entries({ ...wish, months: monthsOf(duration, months) })
        const present = Object.fromEntries(given.filter(([, value]) => value !== undefined))
        return { ...present, code: wish.code, newOnly }
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
              onChange={({ target }) => setOff(target.value)}
            />
          </Field>
        ) : (
          <Field name="amountOff" label="Dollars off">
            <Input
              inputMode="decimal"
              autoComplete="off"
              required
              placeholder="10.00"
              onChange={({ target }) => setOff(target.value)}
            />
          </Field>
        )}
        <Field name="duration" label="How long">
          <Select
            options={Object.entries(durations)}
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
              value={typedMonths}
              onChange={({ target }) => setTypedMonths(target.value)}
            />
          </Field>
        ) : (
          <input type="hidden" name="months" value="" />
        )}
        <Field name="billingType" label="Plan" className="col-start-1">
          <Select
            value={plan}
            onChange={({ target }) => setPlan(target.value)}
            options={[
              ['', sold.length === 2 ? 'both plans' : 'every plan'],
              ...sold.map(({ key }) => [key, key] as const),
            ]}
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
        percentOff={isPercent ? Number(off) || null : null}
        amountOff={isPercent ? null : (centsOf(off) ?? null)}
        months={monthsOf(duration, Number(typedMonths) || 0)}
        billingType={planByName(plan)?.key}
      />
      <Checkbox name="newOnly" label="Only for new customers" />
    </CallDialog>
  )
}
