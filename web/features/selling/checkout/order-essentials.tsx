import { useId } from 'react'
import { exactDollars } from '#contract/money.ts'
import { type Tax, taxLine } from '#contract/selling/billing.ts'
import { startNow } from '#contract/selling/legal/order.ts'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { type BillingType, billingPeriods } from '#contract/statuses.ts'
import { useSettings } from '#web/api/settings.tsx'
import type { Offer } from './order-summary.tsx'

/** Directly above the pay button, at every width: what the law wants a buyer to have read before the order. */
export function OrderEssentials(props: {
  billing: BillingType
  offer: Offer
  tax: Tax | undefined
  wantsToStart: boolean
  onStartChange: (wants: boolean) => void
}) {
  const { billing, offer, tax, wantsToStart, onStartChange } = props
  const settings = useSettings()
  const hint = useId()
  const period = billingPeriods[billing]
  const price = exactDollars(offer.price)
  const due = exactDollars(offer.due)
  // Whatever the law, the tax inside the price is said before anyone pays.
  if (settings.consumerLaw === 'none')
    return tax ? <p className="text-sm text-muted">{`Total price ${due}, ${taxLine(tax)}`}</p> : null
  const rows = [
    [
      'You order',
      `${reboundSigmaPro.name}: indicator and strategy on TradingView, Rebound List, updates, support`,
    ],
    [
      'Total price',
      <strong key="total" className="font-semibold">
        {tax ? `${due}, ${taxLine(tax)}` : `${due}. ${settings.tax.note}`}
      </strong>,
    ],
    ['Period', `One ${period}, paid in advance`],
    [
      'Renewal',
      billing === 'yearly'
        ? `Every year at ${price}; from the second year on, you can leave with one month’s notice and get the rest back`
        : `Every month at ${price}, until you cancel`,
    ],
    [
      'To cancel',
      `In your dashboard, or below under “Cancel contracts here”; you keep access until the ${period} ends`,
    ],
    ['To withdraw', 'Within 14 days, without a reason, for a full refund'],
  ] as const
  return (
    <section
      aria-label="Your order"
      className="flex flex-col gap-4 rounded-md border border-line bg-ground p-4 text-sm"
    >
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[6.5rem_1fr]">
        {rows.map(([name, value]) => (
          <div key={name} className="contents max-sm:block">
            <dt className="text-muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-col gap-1 border-t border-line pt-4">
        <label className="flex cursor-pointer gap-3 font-medium">
          <input
            type="checkbox"
            aria-describedby={hint}
            checked={wantsToStart}
            onChange={(event) => onStartChange(event.target.checked)}
            className="mt-0.5 size-5 shrink-0 cursor-pointer accent-accent"
          />
          {startNow.text}
        </label>
        <p id={hint} className="pl-8 text-muted">
          {startNow.hint}
        </p>
      </div>
    </section>
  )
}
