import { Check } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { dollars } from '#contract/money.ts'
import { reboundSigmaPro, regularPrice } from '#contract/selling/price-list.ts'
import { useSettings } from '#web/api/settings.tsx'
import { checkoutAddress } from '#web/features/selling/checkout/address.ts'
import { Badge } from '#web/ui/badge.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { classes } from '#web/ui/classes.ts'

const LimitedSeats = lazy(() => import('./limited-seats.tsx'))

const { monthlyPrice, yearlyPrice } = reboundSigmaPro

const offers = [
  {
    billing: 'monthly',
    name: 'Monthly',
    price: monthlyPrice,
    regular: regularPrice.monthly,
    unit: 'per month',
    button: `Buy Monthly - ${dollars(monthlyPrice)}`,
    points: ['Everything in the package', 'Cancel any time, keep access until the period ends'],
  },
  {
    billing: 'yearly',
    name: 'Yearly',
    price: yearlyPrice,
    regular: regularPrice.yearly,
    unit: 'per year',
    button: `Buy Yearly - ${dollars(yearlyPrice)}`,
    points: [
      'Everything in the package',
      `${12 - yearlyPrice / monthlyPrice} months free (save ${dollars(monthlyPrice * 12 - yearlyPrice)})`,
    ],
  },
] as const

export function Pricing() {
  const { seatsAreLimited } = useSettings()
  if (!seatsAreLimited) return <Offers />
  return (
    <Suspense fallback={<Offers />}>
      <LimitedSeats>
        <Offers />
      </LimitedSeats>
    </Suspense>
  )
}

function Offers() {
  return (
    <div className="grid gap-6 md:grid-cols-2">
      {offers.map(({ billing, name, price, regular, unit, button, points }) => {
        const best = billing === 'yearly'
        return (
          <div
            key={billing}
            className={classes(
              'flex flex-col gap-6 rounded-xl border bg-surface p-7 shadow-card sm:p-9',
              best ? 'border-accent' : 'border-line',
            )}
          >
            <div className="flex items-center justify-between">
              <h3 className="text-xl">{name}</h3>
              <Badge tone="good">Early access</Badge>
            </div>
            <p>
              <span className="flex items-baseline gap-3">
                <span className="text-3xl font-semibold tracking-tight">{dollars(price)}</span>
                <span className="text-muted">{unit}</span>
              </span>
              <span className="mt-2 block text-sm text-muted">
                Regular price {dollars(regular)} {unit}
              </span>
            </p>
            <ul className="flex flex-col gap-2.5">
              {points.map((point) => (
                <li key={point} className="flex gap-3">
                  <Check aria-hidden="true" className="mt-1 size-4.5 shrink-0 text-accent" />
                  {point}
                </li>
              ))}
            </ul>
            <ButtonLink
              href={checkoutAddress(billing)}
              size="lg"
              variant={best ? 'primary' : 'secondary'}
              className="mt-auto w-full"
            >
              {button}
            </ButtonLink>
          </div>
        )
      })}
    </div>
  )
}
