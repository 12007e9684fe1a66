import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { access } from '#contract/access/access.ts'
import { ApiError } from '#contract/call.ts'
import { exactDollars } from '#contract/money.ts'
import { planOf, plansWithPrice } from '#contract/plans.ts'
import { declineSentence, isDecline } from '#contract/selling/declines.ts'
import { type Purchase, purchases, type SwitchOffer } from '#contract/selling/purchases.ts'
import { call, useRefresh } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { messageOf, toastError } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import CardUpdateDialog from './card-update-dialog.tsx'
import { OrderEssentials } from './order-essentials.tsx'
import { untilDone } from './until-done.ts'

/** Switches to the longest plan. The call sends the amount shown, so that no other amount is charged. */
export default function SwitchDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const { id } = purchase
  const { stripe: settings, prices } = useSettings()
  const longestPlan = plansWithPrice(prices[purchase.product.slug] ?? {}).at(-1)
  const refresh = useRefresh([purchases.list, access.mine])
  const [isAtBank, setIsAtBank] = useState(false)
  const [isSavingCard, setIsSavingCard] = useState(false)
  const isOpen = useIsMounted()
  const offer = useQuery({
    queryKey: ['switch-offer', id],
    queryFn: () => call(purchases.switchOffer, { id }),
    staleTime: 0,
    gcTime: 0,
  })

  /** Hides the dialog while Stripe's prompt is open, because a modal dialog would cover it. */
  async function confirmWithBank(clientSecret: string) {
    const stripe = await (await import('./load-stripe.ts')).loadStripeOnce(settings)
    setIsAtBank(true)
    const { error } = await stripe.handleNextAction({ clientSecret }).finally(() => setIsAtBank(false))
    if (!error) return
    const { state } = await call(purchases.finishSwitch, { id, giveUp: true })
    const reason = isDecline(error) ? declineSentence(error) : error.message
    if (state !== 'done') throw new Error(`${reason ?? 'Your bank didn’t confirm the payment.'} ${unchangedText}`)
  }

  const pay = useMutation({
    async mutationFn({ at, due: amount }: SwitchOffer) {
      const { state, confirmWith } = await call(purchases.switch, { id, at, amount })
      if (confirmWith) await confirmWithBank(confirmWith)
      if (state !== 'done')
        await untilDone(async () => {
          const switchResult = await call(purchases.finishSwitch, { id })
          if (switchResult.state === 'off') throw new Error(`The payment wasn’t confirmed. ${unchangedText}`)
          return switchResult.state === 'done'
        })
    },
    onSuccess(_, { due, renewsAt, billingType }) {
      toast({
        title: `You’re on ${billingType} now`,
        description: `We’ve charged ${exactDollars(due)}. It renews on ${dayFormat.format(new Date(renewsAt))}.`,
      })
      onClose()
    },
    onError(error) {
      if (!isOpen.current) toastError({ title: 'Failed to switch', description: unchangedText }, error)
      // The offer may have expired or changed.
      else void offer.refetch()
    },
    onSettled: refresh,
  })

  if (isAtBank)
    return (
      <p role="status" className="text-sm text-muted">
        Your bank wants you to confirm this payment.
      </p>
    )
  if (isSavingCard)
    return (
      <CardUpdateDialog
        purchase={purchase}
        onClose={() => {
          setIsSavingCard(false)
          void offer.refetch()
        }}
      />
    )
  const needsSavedCard = offer.error instanceof ApiError && offer.error.code === 'card-needed'
  return (
    <Dialog
      title={`Switch to ${longestPlan?.key}`}
      description={`Your ${longestPlan?.period} begins today, and the unused days of your ${purchase.period} are credited.`}
      onClose={onClose}
    >
      {pay.error && <Notice tone="bad">{messageOf(pay.error) ?? `The payment failed. ${unchangedText}`}</Notice>}
      {offer.error && <p role="alert">{messageOf(offer.error) ?? 'We couldn’t load this. Please try again.'}</p>}
      {!offer.error && offer.data && <Order purchase={purchase} offer={offer.data} />}
      {!offer.error && !offer.data && <Skeleton className="h-80" />}
      <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
        <Button variant="secondary" onClick={onClose}>
          {offer.error || pay.isPending ? 'Close' : 'Not now'}
        </Button>
        {needsSavedCard && <Button onClick={() => setIsSavingCard(true)}>Save my card</Button>}
        {offer.data && !offer.error && (
          <Button pending={pay.isPending} pendingText="Processing..." onClick={() => pay.mutate(offer.data)}>
            Pay now · Due today {exactDollars(offer.data.due)}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

const unchangedText = 'Nothing has changed.'

/** A payment goes on after its dialog was closed, and then reports by a toast. */
function useIsMounted() {
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

function labelOf(kind: SwitchOffer['lines'][number]['kind'], { billingType, unusedDays }: SwitchOffer, period: string) {
  if (kind === 'unused')
    return unusedDays > 1 ? `For ${unusedDays} unused days of your ${period}` : `For the rest of your ${period}`
  return { plan: `One ${planOf(billingType).period}`, discount: 'Your discount', credit: 'Your credit with us' }[kind]
}

function Order({ purchase, offer }: { purchase: Purchase; offer: SwitchOffer }) {
  const { products, consumerLaw } = useSettings()
  const product = products.find(({ slug }) => slug === purchase.product.slug)
  const { lines, billingType, due, price, tax, renewsAt, nextAmount, card } = offer
  const lineClasses = 'flex items-baseline justify-between gap-4'
  return (
    <div className="flex flex-col gap-4">
      <dl className="flex flex-col gap-1.5 tabular-nums">
        {lines.map(({ kind, amount }) => (
          <div key={kind} className={lineClasses}>
            <dt className="text-muted">{labelOf(kind, offer, purchase.period)}</dt>
            <dd className="whitespace-nowrap">{exactDollars(amount).replace('-', '−')}</dd>
          </div>
        ))}
        <div className={`${lineClasses} border-t border-line pt-2 text-lg font-semibold`}>
          <dt>Due today</dt>
          <dd>{exactDollars(due)}</dd>
        </div>
        <div className={`${lineClasses} text-sm text-muted`}>
          <dt>
            Next renewal, <Time value={renewsAt} />
          </dt>
          <dd>{exactDollars(nextAmount)}</dd>
        </div>
        {card && (
          <div className={`${lineClasses} text-sm text-muted`}>
            <dt>Card</dt>
            <dd>{card}</dd>
          </div>
        )}
      </dl>
      {product && (
        <OrderEssentials product={product} billing={billingType} offer={{ price, due }} tax={tax ?? undefined} />
      )}
      <p className="text-sm text-muted">
        {consumerLaw === 'eu' &&
          'If you withdraw within 14 days, you get back everything you’ve paid for the time since. '}
        By paying you agree to the{' '}
        <a href="/legal/terms" target="_blank" rel="noreferrer" className="underline underline-offset-2">
          Terms of Service
        </a>
        .
      </p>
    </div>
  )
}
