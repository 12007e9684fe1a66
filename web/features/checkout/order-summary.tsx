import { Check, LockKeyhole, RotateCcw } from 'lucide-react'
import { priceOf, reboundSigmaPro, regularPrice } from '#contract/price-list.ts'
import type { BillingType } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Card } from '#web/ui/card.tsx'
import { dollars, exactDollars } from '#web/ui/money.ts'
import { Link } from '#web/ui/navigation.tsx'
import { checkoutAddress } from './address.ts'

const contents = [
  'Invite-only indicator on TradingView',
  'Backtest-ready strategy version',
  'Rebound List, reviewed at least once a month',
  'Private buyer dashboard and direct creator support',
]
const yearlySaving = reboundSigmaPro.monthlyPrice * 12 - reboundSigmaPro.yearlyPrice

export function OrderSummary({ billing }: { billing: BillingType }) {
  const isYearly = billing === 'yearly'
  const unit = isYearly ? 'per year' : 'per month'
  const price = priceOf(reboundSigmaPro, billing)
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <h2 className="text-xl">Order summary</h2>
      <div className="flex items-start justify-between gap-4">
        <div className="flex flex-col gap-1.5">
          <p className="font-semibold">{reboundSigmaPro.name}</p>
          <p className="text-muted">{isYearly ? 'Yearly' : 'Monthly'} subscription</p>
          <Badge tone="good" className="self-start">
            Early access
          </Badge>
        </div>
        <p className="text-right">
          <span className="block text-xl font-semibold tabular-nums">{exactDollars(price)}</span>
          <span className="text-muted">{unit}</span>
          <span className="block text-sm text-muted">
            <span className="sr-only">Regular price </span>
            <s>{dollars(regularPrice[billing])}</s>
          </span>
        </p>
      </div>
      <ul className="flex flex-col gap-2.5 border-t border-line pt-6">
        {contents.map((point) => (
          <li key={point} className="flex gap-3">
            <Check aria-hidden="true" className="mt-1 size-4.5 shrink-0 text-accent" />
            {point}
          </li>
        ))}
      </ul>
      <dl className="flex items-baseline justify-between border-t border-line pt-6">
        <dt className="font-semibold">Due today</dt>
        <dd className="text-xl font-semibold tabular-nums">{exactDollars(price)}</dd>
      </dl>
      <p className="text-sm text-muted">
        Renews {isYearly ? 'every year' : 'every month'} at {exactDollars(price)} until you cancel.{' '}
        <Link
          href={checkoutAddress(isYearly ? 'monthly' : 'yearly')}
          className="font-medium text-accent-strong underline underline-offset-2"
        >
          {isYearly ? 'Pay monthly instead' : `Pay yearly and save ${dollars(yearlySaving)}`}
        </Link>
      </p>
      <ul className="flex flex-col gap-3 border-t border-line pt-6 text-sm text-muted">
        <li className="flex gap-3">
          <LockKeyhole aria-hidden="true" className="mt-0.5 size-4.5 shrink-0" />
          Paid by card through Stripe. We never see your card number.
        </li>
        <li className="flex gap-3">
          <RotateCcw aria-hidden="true" className="mt-0.5 size-4.5 shrink-0" />
          Cancel any time from your dashboard and keep access until the period ends.
        </li>
      </ul>
    </Card>
  )
}
