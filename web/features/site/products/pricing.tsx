import { Check } from 'lucide-react'
import { type ComponentProps } from 'react'
import { dollars, exactDollars } from '#contract/money.ts'
import { planSaving } from '#contract/selling/plan-saving.ts'
import { useUser } from '#web/api/session.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { checkoutAddress } from '#web/features/selling/checkout/address.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { classes } from '#web/ui/classes.ts'
import { Badge } from '#web/ui/notice.tsx'
import OwnerLink from './owner-link.tsx'

const packageText = 'Everything in the package'
const cancelText = 'Cancel any time, keep access until the period ends'
const withdrawText = '14 days to withdraw, with a full refund'

export function Pricing({ slug }: { slug: string }) {
  const plans = usePlans(slug)
  const sharedPoints = useSettings().consumerLaw === 'eu' ? [cancelText, withdrawText] : [cancelText]
  return (
    <div className={classes('grid gap-x-10 gap-y-12 md:grid-cols-2', plans.length > 2 && 'xl:grid-cols-3')}>
      {plans.map(({ key: billing, name, period, months, amount, regular }, index) => {
        const price = dollars(amount)
        const unit = `per ${period}`
        const isLongest = index === plans.length - 1
        const saving = planSaving(plans[0], { amount, months })
        const planPoints = saving
          ? [`${packageText}, for ${exactDollars(amount / months)} a month`, savingText(saving)]
          : [packageText]
        const points = [...planPoints, ...sharedPoints]
        return (
          <div
            key={billing}
            className={classes('flex flex-col gap-6 border-t pt-6', isLongest ? 'border-ink' : 'border-line')}
          >
            <div className="flex items-center justify-between">
              <h3 className="text-xl">{name}</h3>
              {isLongest && saving && <Badge>best value</Badge>}
            </div>
            <p>
              <span className="flex items-baseline gap-3">
                <span className="font-serif text-3xl">{price}</span>
                <span className="text-muted">{unit}</span>
              </span>
              {regular && (
                <span className="mt-2 block text-sm text-muted">
                  Regular price {dollars(regular)} {unit}
                </span>
              )}
            </p>
            <ul className="flex flex-col gap-2.5">
              {points.map((point) => (
                <li key={point} className="flex gap-3">
                  <Check aria-hidden="true" className="mt-1 size-4.5 shrink-0 text-muted" />
                  {point}
                </li>
              ))}
            </ul>
            <div className="mt-auto flex flex-col">
              <BuyLink slug={slug} href={checkoutAddress(billing, slug)} variant={isLongest ? 'primary' : 'secondary'}>
                Buy {name} - {price}
              </BuyLink>
            </div>
          </div>
        )
      })}
    </div>
  )
}

const savingText = ({ free, saved }: { free: string | false; saved: string }) =>
  free ? `${free} (save ${saved})` : `Save ${saved}`

export function BuyLink({ slug, ...link }: ComponentProps<typeof ButtonLink> & { slug: string }) {
  const buyButton = <ButtonLink size="lg" {...link} />
  if (!useUser().user) return buyButton
  return <OwnerLink slug={slug} fallback={buyButton} />
}
