import { Check, ChevronDown, KeyRound, LockKeyhole, RotateCcw } from 'lucide-react'
import { accessPromise } from '#contract/access/promise.ts'
import { dollars, exactDollars } from '#contract/money.ts'
import { planOf } from '#contract/plans.ts'
import type { Discount } from '#contract/selling/checkout.ts'
import { planSaving } from '#contract/selling/plan-saving.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { usePlan, usePlans, useSettings } from '#web/api/settings.tsx'
import { Card } from '#web/ui/card.tsx'
import { Link, usePageLocation } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { checkoutAddress, isAtPayment, type Order } from './address.ts'

/** Price per period and amount due today, in cents. A code or a credit at Stripe lowers `due`. */
export type Offer = { price: number; due: number; discount?: Discount | undefined }

/** Stands above the steps on narrow screens, instead of `OrderSummary`. */
export function OrderLine({ product, billing, offer }: Order & { offer: Offer }) {
  const { name, period } = planOf(billing)
  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4 shadow-card">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-semibold">{product.name}</span>
        <span>
          <span className="font-semibold tabular-nums">{exactDollars(offer.price)}</span>{' '}
          <span className="text-muted">per {period}</span>
        </span>
        <span className="sr-only">{name} subscription</span>
      </p>
      <BillingSwitch product={product} billing={billing} />
      {offer.discount && (
        <dl className="flex flex-col gap-1">
          <DiscountLine offer={offer} />
          <div className="flex items-baseline justify-between gap-4">
            <dt className="font-semibold">Due today</dt>
            <dd className="font-semibold tabular-nums">{exactDollars(offer.due)}</dd>
          </div>
        </dl>
      )}
    </div>
  )
}

type Cost = { amount: number; months: number }

function Saving({ shorter, longer }: { shorter: Cost; longer: Cost }) {
  const saving = planSaving(shorter, longer)
  if (!saving) return null
  const { free: freeMonthsText, saved } = saving
  return <span className="text-xs whitespace-nowrap text-accent-strong">{freeMonthsText || `Save ${saved}`}</span>
}

/** Each plan is a link, so that each has its own address. */
function BillingSwitch({ product, billing }: Order) {
  const plans = usePlans(product.slug)
  const longest = plans.at(-1)
  const step = usePageLocation(({ search }) => (isAtPayment(search) ? 'payment' : 'details'))
  return (
    <nav
      aria-label="Billing"
      className="grid auto-cols-fr grid-flow-col gap-1 rounded-md border border-line bg-ground p-1 text-center text-sm font-medium"
    >
      {plans.map(({ key, name, ...cost }) => (
        <Link
          key={key}
          href={checkoutAddress(key, product.slug, step)}
          replace
          aria-current={key === billing ? 'true' : undefined}
          className="flex min-h-10 flex-wrap items-center justify-center gap-x-2 rounded-sm px-2 py-1 text-muted transition-colors hover:text-ink aria-[current]:bg-raised aria-[current]:text-ink aria-[current]:shadow-card"
        >
          {name}
          {key === longest?.key && <Saving shorter={plans[0]} longer={cost} />}
        </Link>
      ))}
    </nav>
  )
}

function DiscountLine({ offer: { price, due, discount } }: { offer: Offer }) {
  if (!discount) return null
  return (
    <div className="flex items-baseline justify-between gap-4 text-sm">
      <dt>
        {discount.code}, {discount.worth}
      </dt>
      <dd className="whitespace-nowrap tabular-nums">−{exactDollars(price - due)}</dd>
    </div>
  )
}

function AccessRequirements({ product }: { product: ListedProduct }) {
  const { askExchangeKeys } = useSettings()
  const furtherDetails = askExchangeKeys
    ? ', the name of your exchange, and read-only API keys for it'
    : ', and nothing else'
  return (
    <li className="flex gap-3">
      <KeyRound aria-hidden="true" className="mt-0.5 size-4.5 shrink-0" />
      {product.unlocksItself
        ? 'Your TradingView username is all it takes to unlock it.'
        : `To unlock it, we ask for your TradingView username${furtherDetails}. ${accessPromise(product)}`}
    </li>
  )
}

function Contents({ points }: ListedProduct) {
  return (
    <ul className="flex flex-col gap-2.5 border-t border-line pt-6">
      {points.map((point) => (
        <li key={point} className="flex gap-3">
          <Check aria-hidden="true" className="mt-1 size-4.5 shrink-0 text-muted" />
          {point}
        </li>
      ))}
    </ul>
  )
}

function Assurances({ product }: { product: ListedProduct }) {
  const { consumerLaw } = useSettings()
  const longerPeriods = usePlans(product.slug)
    .filter(({ months }) => months > 1)
    .map(({ period }) => period)
  return (
    <ul className="flex flex-col gap-3 border-t border-line pt-6 text-sm text-muted">
      <li className="flex gap-3">
        <LockKeyhole aria-hidden="true" className="mt-0.5 size-4.5 shrink-0" />
        Paid by card through Stripe. We never see your card number.
      </li>
      <li className="flex gap-3">
        <RotateCcw aria-hidden="true" className="mt-0.5 size-4.5 shrink-0" />
        Cancel any time from your dashboard and keep access until the period ends
        {consumerLaw === 'eu' &&
          longerPeriods.length > 0 &&
          `; a renewed ${longerPeriods.join(' or ')} ends with one month’s notice, and we refund the rest`}
        .
      </li>
      <AccessRequirements product={product} />
    </ul>
  )
}

export function OrderDetails({ product }: { product: ListedProduct }) {
  return (
    <Card className="sm:px-8 lg:hidden">
      <details className="group">
        <summary className="flex cursor-pointer list-none items-center justify-between font-medium">
          What you get
          <ChevronDown className="shrink-0 size-5 group-open:rotate-180" />
        </summary>
        <div className="flex flex-col gap-6 pt-6">
          <Contents {...product} />
          <Assurances product={product} />
        </div>
      </details>
    </Card>
  )
}

export function OrderSummary({ product, billing, offer }: Order & { offer: Offer }) {
  const { tax } = useSettings()
  const { name, period, regular } = usePlan(product.slug, billing)
  const { price, due, discount } = offer
  return (
    <Card className="flex flex-col gap-6 sm:p-8 max-lg:hidden">
      <h2 className="text-xl">Order summary</h2>
      <div className="flex flex-col gap-3">
        <BillingSwitch product={product} billing={billing} />
      </div>
      <div className="flex items-start justify-between gap-4">
        <div className="flex flex-col gap-1.5">
          <p className="font-semibold">{product.name}</p>
          <p className="text-muted">{name} subscription</p>
          {regular && (
            <Badge tone="good" className="self-start">
              early access
            </Badge>
          )}
        </div>
        <p className="text-right">
          <span className="block text-xl font-semibold tabular-nums">{exactDollars(price)}</span>
          <span className="text-muted">per {period}</span>
          {regular && <span className="block text-sm text-muted">Regular price {dollars(regular)}</span>}
        </p>
      </div>
      <Contents {...product} />
      <dl className="flex flex-col gap-2 border-t border-line pt-6">
        <DiscountLine offer={offer} />
        <div className="flex items-baseline justify-between">
          <dt className="font-semibold">Due today</dt>
          <dd className="text-xl font-semibold tabular-nums">{exactDollars(due)}</dd>
        </div>
      </dl>
      <p className="text-sm text-muted">
        {discount ? discount.charges : `Renews every ${period} at ${exactDollars(price)}`} until you cancel. {tax.note}
      </p>
      <Assurances product={product} />
    </Card>
  )
}
