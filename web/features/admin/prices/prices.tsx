import { useState } from 'react'
import * as z from 'zod/mini'
import { dayMs } from '#contract/dates.ts'
import { dollars, exactDollars } from '#contract/money.ts'
import { planOf } from '#contract/plans.ts'
import { type PricedPlan, prices } from '#contract/selling/prices.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { Choice } from '../parts/dialog-parts.tsx'
import { centsOf, dollarAmount } from '../parts/dollars.ts'

const tones = { planned: 'warning', current: 'good', past: 'neutral', 'called off': 'neutral' } as const

export default function Prices() {
  const query = useData(prices.adminList, {})
  const [changedPlan, setChangedPlan] = useState<PricedPlan | null>(null)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">
        A new price is for new subscriptions. Running ones keep the price they began with.
      </p>
      {query.data ? (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          {query.data.map((plan) => (
            <PlanCard key={`${plan.productId} ${plan.billingType}`} plan={plan} onChange={() => setChangedPlan(plan)} />
          ))}
        </div>
      ) : (
        <Pending query={query} />
      )}
      {changedPlan && <PublishDialog plan={changedPlan} onClose={() => setChangedPlan(null)} />}
    </div>
  )
}

function PlanCard({ plan, onChange }: { plan: PricedPlan; onChange: () => void }) {
  const { product, billingType, publications, subscriptions } = plan
  const { period } = planOf(billingType)
  const currentPublication = publications.find(({ state }) => state === 'current')
  // `subscriptions` has one entry for each amount that somebody pays.
  const countAtCurrentPrice = subscriptions.find(({ amount }) => amount === currentPublication?.amount)?.count
  const countsAtOldPrices = subscriptions.filter(({ amount }) => amount !== currentPublication?.amount)

  return (
    <Card className="flex flex-col gap-5">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 className="text-lg">
            {product}, {billingType}
          </h2>
          {currentPublication && (
            <p>
              <span className="text-2xl font-semibold tabular-nums">{exactDollars(currentPublication.amount)}</span>{' '}
              <span className="text-muted">
                per {period}
                {currentPublication.regularAmount && `, regular price ${dollars(currentPublication.regularAmount)}`}
              </span>
            </p>
          )}
        </div>
        <Button variant="secondary" size="sm" onClick={onChange}>
          New price
          <span className="sr-only">
            {' '}
            for {product}, {billingType}
          </span>
        </Button>
      </header>
      <p className="text-sm">
        {countAtCurrentPrice ? `${countWithVerb(countAtCurrentPrice, 'pay')} it.` : 'No one pays it yet.'}{' '}
        {countsAtOldPrices.map(describeKeptPrice).join(' ')}
      </p>
      <ul aria-label={`History, ${product}, ${billingType}`} className="flex flex-col text-sm">
        {publications.map((publication) => (
          <li
            key={publication.number}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2.5"
          >
            <span className="min-w-20 font-medium tabular-nums">{exactDollars(publication.amount)}</span>
            <Badge tone={tones[publication.state]}>{publication.state}</Badge>
            <span className="text-muted">
              {publication.startsAt ? <Time before="from" value={publication.startsAt} /> : 'the first price'}
              {publication.regularAmount && `, regular ${dollars(publication.regularAmount)}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const priceForm = z.object({
  amount: dollarAmount.check(z.minimum(100, 'Please enter $1.00 or more')),
  regularAmount: z.pipe(
    z.string(),
    z.transform((text, context) => {
      const amount = centsOf(text)
      if (text.trim() && amount === undefined)
        context.issues.push({ code: 'custom', input: text, message: 'Please enter an amount like 39.99' })
      return amount
    }),
  ),
})
const scheduledPriceForm = z.extend(priceForm, { from: z.string().check(z.minLength(1, 'Please choose a day')) })

const countWithVerb = (count: number, verb: string) =>
  `${count.toLocaleString('en-US')} ${verb}${count === 1 ? 's' : ''}`
const describeKeptPrice = ({ amount, count }: PricedPlan['subscriptions'][number]) =>
  `${countWithVerb(count, 'keep')} ${exactDollars(amount)}.`

const plainDollars = (cents: number | null | undefined) => (cents ? (cents / 100).toFixed(2) : '')
const tomorrow = () => new Date(Date.now() + dayMs).toISOString().slice(0, 10)

function PublishDialog({ plan, onClose }: { plan: PricedPlan; onClose: () => void }) {
  const { product, productId, billingType, publications, subscriptions } = plan
  const [isLater, setIsLater] = useState(false)
  const currentPublication = publications.find(({ state }) => state === 'current')
  const hasPlannedPrice = publications.some(({ state }) => state === 'planned')
  const keptPrices = subscriptions.map(describeKeptPrice).join(' ')
  const replacement = hasPlannedPrice ? ' It replaces the planned price.' : ''
  return (
    <CallDialog
      title={`New price: ${product}, ${billingType}`}
      description={`Per ${planOf(billingType).period}, for new subscriptions. ${keptPrices}${replacement}`}
      call={prices.adminPublish}
      options={{
        succeeded: { title: 'Published', description: 'The site shows it within seconds.' },
        failed: 'Failed to publish',
      }}
      schema={isLater ? scheduledPriceForm : priceForm}
      inputOf={({ regularAmount, ...fields }) => ({
        productId,
        billingType,
        // The server refuses if someone has published another price since.
        after: publications[0]?.number ?? 1,
        ...fields,
        ...(regularAmount ? { regularAmount } : {}),
      })}
      button={{ pendingText: 'Publishing...', children: 'Publish' }}
      onClose={onClose}
    >
      <Field name="amount" label="Price in dollars">
        <Input inputMode="decimal" autoComplete="off" required placeholder={plainDollars(currentPublication?.amount)} />
      </Field>
      <Field
        name="regularAmount"
        label="Regular price in dollars (optional)"
        hint="Shown as “Regular price” beside it, never crossed out, because nobody has paid it."
      >
        <Input inputMode="decimal" autoComplete="off" defaultValue={plainDollars(currentPublication?.regularAmount)} />
      </Field>
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">From when</legend>
        <Choice label="From now on" checked={!isLater} onChange={() => setIsLater(false)}>
          Pages show it within seconds.
        </Choice>
        <Choice label="From a day" checked={isLater} onChange={() => setIsLater(true)}>
          If you publish another price before that day, this one is dropped.
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
