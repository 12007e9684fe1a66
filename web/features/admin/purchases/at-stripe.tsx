import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatMoney } from '#contract/money.ts'
import { plansWithPrice } from '#contract/plans.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { maxTakeovers, type PriceAtStripe, type SubscriptionAtStripe, takeover } from '#contract/selling/takeover.ts'
import { call, useData } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, EmptyState, Pending } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Select } from '#web/ui/input.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { formatCount, formatNumber } from '../parts/count.ts'
import { Section } from '../parts/section.tsx'

/** Rows that are shown for each price. "Take over all" also covers the others. */
const maxShownRows = 100

export default function AtStripe() {
  const query = useData(takeover.adminList, {})
  const { data } = query
  const [sendsInvite, setSendsInvite] = useState(false)
  const { takeOver, faults } = useTakeover(sendsInvite)
  const subscriptions = data?.subscriptions ?? []
  const pricesWithPlan = new Set(data?.prices.filter(({ plan }) => plan).map(({ id }) => id))
  const takeable = subscriptions.filter(({ priceId, obstacle }) => pricesWithPlan.has(priceId) && !obstacle)
  const takeableIds = takeable.map(({ id }) => id)
  return (
    <Section
      title="Subscriptions at Stripe"
      hint="They run on your Stripe account, but began without the shop. Say what each price is, then take them over: same price, same card, same dates. Nothing is charged."
      aria-busy={!data}
    >
      {!data && <Pending query={query} className="h-40" />}
      {data && subscriptions.length === 0 && (
        <EmptyState title="All clear" description="Every live subscription at Stripe is in the shop." />
      )}
      {takeableIds.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <Checkbox
            label="Tell each of them by email, with a link to set a password"
            checked={sendsInvite}
            onTick={setSendsInvite}
          />
          <Button
            pending={takeOver.isPending}
            pendingText="Taking over..."
            onClick={() => takeOver.mutate(takeableIds)}
          >
            Take over {takeableIds.length === 1 ? '1 subscription' : `all ${formatNumber(takeableIds.length)}`}
          </Button>
        </div>
      )}
      {data?.prices.map((price) => (
        <PriceCard
          key={price.id}
          price={price}
          subscriptions={subscriptions.filter(({ priceId }) => priceId === price.id)}
          faults={faults}
          onTake={takeOver.isPending ? undefined : (id) => takeOver.mutate([id])}
        />
      ))}
    </Section>
  )
}

/** `faults` has the reason of each failure by subscription. */
function useTakeover(invite: boolean) {
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const client = useQueryClient()
  const takeOver = useMutation({
    mutationFn: async (ids: string[]) => {
      for (let start = 0; start < ids.length; start += maxTakeovers) {
        const batch = ids.slice(start, start + maxTakeovers)
        const verdicts = await call(takeover.adminTakeOver, { ids: batch, invite })
        const failed = verdicts.filter(({ verdict }) => verdict === 'fault')
        const newFaults = failed.map(({ id, message }) => [id, message] as const)
        setFaults((knownFaults) => new Map([...knownFaults, ...newFaults]))
        const takenCount = verdicts.length - failed.length
        if (takenCount > 0) toast({ title: `${formatCount(takenCount, 'subscription')} taken over` })
      }
    },
    onError: (error) => toastError('Failed to take over', error),
    onSettled: () => client.invalidateQueries(),
  })
  return { takeOver, faults }
}

type PriceCardProps = {
  price: PriceAtStripe
  subscriptions: SubscriptionAtStripe[]
  faults: ReadonlyMap<string, string>
  onTake: ((id: string) => void) | undefined
}

function PriceCard({ price, subscriptions, faults, onTake }: PriceCardProps) {
  const { id, name, amount, currency, every, plan, isOther } = price
  const hiddenCount = subscriptions.length - maxShownRows
  return (
    <Card className="flex flex-col gap-4 p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h3 className="font-medium break-words">{name || id}</h3>
          <p className="text-sm break-words text-muted">
            {formatMoney(currency, amount)} per {every}, {formatNumber(subscriptions.length)} running
          </p>
        </div>
        <PlanChoice price={price} />
      </div>
      {!isOther && (
        <ul aria-label={`Subscriptions to ${name || id}`} className="divide-y divide-line text-sm">
          {subscriptions.slice(0, maxShownRows).map((subscription) => (
            <SubscriptionItem
              key={subscription.id}
              subscription={subscription}
              fault={subscription.obstacle ?? faults.get(subscription.id)}
              onTake={plan && !subscription.obstacle ? onTake : undefined}
            />
          ))}
          {hiddenCount > 0 && <li className="py-3 text-muted">and {formatNumber(hiddenCount)} more</li>}
        </ul>
      )}
    </Card>
  )
}

function PlanChoice({ price: { id, name, billingType, plan, isOther } }: { price: PriceAtStripe }) {
  const save = useCall(takeover.adminSetPlan, { failed: 'Failed to save' })
  const { data: products = [] } = useData(catalog.list, {})
  const plans = products.flatMap((product) =>
    plansWithPrice(product.prices)
      .filter(({ key }) => !billingType || key === billingType)
      .map(({ key }) => ({ productId: product.id, billingType: key, text: `${product.name}, ${key}` })),
  )
  const chosenIndex = plans.findIndex(
    (offered) => offered.productId === plan?.productId && offered.billingType === plan.billingType,
  )
  return (
    <Select
      aria-label={`What ${name || id} is`}
      className="max-w-full"
      disabled={save.isPending}
      value={isOther ? 'other' : chosenIndex}
      onChange={({ target }) => {
        // The option "other" has no number and so no plan.
        const chosenPlan = plans[Number(target.value)]
        if (!chosenPlan) return save.mutate({ id, plan: null })
        const { productId, billingType: chosenBilling } = chosenPlan
        save.mutate({ id, plan: { productId, billingType: chosenBilling } })
      }}
    >
      <option value={-1} disabled>
        Choose a plan to take over...
      </option>
      {plans.map(({ text }, index) => (
        <option key={text} value={index}>
          {text}
        </option>
      ))}
      <option value="other">Not from this shop</option>
    </Select>
  )
}

function SubscriptionItem(props: {
  subscription: SubscriptionAtStripe
  fault: string | undefined
  onTake: ((id: string) => void) | undefined
}) {
  const { subscription, fault, onTake } = props
  const { id, email, name, status, amount, currency, startedAt, periodEnd, isEnding } = subscription
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <span className="min-w-0 flex-1 basis-56">
        <span className="block font-medium wrap-anywhere">{email || id}</span>
        <span className="block text-xs break-words text-muted">
          {name && `${name}, `}
          {formatMoney(currency, amount)}, since <Time value={startedAt} />, {isEnding ? 'ends' : 'renews'}{' '}
          <Time value={periodEnd} />
        </span>
        {fault && <span className="block text-xs font-medium break-words text-warning">{fault}</span>}
      </span>
      {status !== 'active' && <Badge tone="warning">{status.replaceAll('_', ' ')}</Badge>}
      {onTake && (
        <Button variant="secondary" size="sm" onClick={() => onTake(id)}>
          Take over<span className="sr-only"> {email}</span>
        </Button>
      )}
    </li>
  )
}
