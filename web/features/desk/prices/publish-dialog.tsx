import { useState } from 'react'
import { exactDollars } from '#contract/money.ts'
import { type Plan, prices } from '#contract/selling/prices.ts'
import { billingPeriods } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Choice } from '../parts/dialog-parts.tsx'
import { centsOf, dollarAmount } from '../parts/dollars.ts'

const now = z.object({
  amount: dollarAmount.check(z.minimum(100, 'Please enter $1.00 or more')),
  regularAmount: z.pipe(
    z.string(),
    z.transform((typed, context) => {
      const amount = centsOf(typed)
      if (typed.trim() && amount === undefined)
        context.issues.push({ code: 'custom', input: typed, message: 'Please enter an amount like 39.99' })
      return amount
    }),
  ),
})
const later = z.extend(now, { from: z.string().check(z.minLength(1, 'Please choose a day')) })

/** "1 pays", "412 pay". */
export const counted = (count: number, verb: string) =>
  `${count.toLocaleString('en-US')} ${verb}${count === 1 ? 's' : ''}`
export const kept = ({ amount, count }: Plan['subscriptions'][number]) =>
  `${counted(count, 'keep')} ${exactDollars(amount)}.`

const inDollars = (cents: number | null | undefined) => (cents ? (cents / 100).toFixed(2) : '')
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

export function PublishDialog({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const { product, productId, billingType, publications, subscriptions } = plan
  const [isLater, setIsLater] = useState(false)
  const current = publications.find(({ state }) => state === 'current')
  return (
    <CallDialog
      title={`New price: ${product}, ${billingType}`}
      description={`Per ${billingPeriods[billingType]}, for new subscriptions. ${subscriptions.map(kept).join(' ')} A planned price is replaced.`}
      call={prices.adminPublish}
      options={{
        succeeded: { title: 'Published', description: 'The site shows it within seconds.' },
        failed: 'Failed to publish',
      }}
      schema={isLater ? later : now}
      inputOf={({ regularAmount, ...wish }) => ({
        productId,
        billingType,
        after: publications[0]?.number ?? 1,
        ...wish,
        ...(regularAmount && { regularAmount }),
      })}
      button={{ pendingText: 'Publishing...', children: 'Publish' }}
      onClose={onClose}
    >
      <Field name="amount" label="Price in dollars">
        <Input inputMode="decimal" autoComplete="off" required placeholder={inDollars(current?.amount)} />
      </Field>
      <Field
        name="regularAmount"
        label="Regular price in dollars (optional)"
        hint="Shown as “Regular price” beside it, never crossed out: no one was charged it."
      >
        <Input inputMode="decimal" autoComplete="off" defaultValue={inDollars(current?.regularAmount)} />
      </Field>
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">From when</legend>
        <Choice label="From now on" checked={!isLater} onChange={() => setIsLater(false)}>
          Pages show it within seconds.
        </Choice>
        <Choice label="From a day" checked={isLater} onChange={() => setIsLater(true)}>
          You can call it off until then.
        </Choice>
      </fieldset>
      {isLater && (
        <Field name="from" label="From" hint="The day begins at 00:00 UTC.">
          <Input type="date" required min={tomorrow()} />
        </Field>
      )}
    </CallDialog>
  )
}
