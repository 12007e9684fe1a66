import { useEffect, useState } from 'react'
import type { User } from '#contract/identity/session.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { BillingType } from '#contract/statuses.ts'
import { useUser } from '#web/api/session.ts'
import { usePlan, useSettings } from '#web/api/settings.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { useNavigation, usePageLocation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { useHydrated } from '#web/ui/store.ts'
import { isAtPayment, type Order, readOrder } from './address.ts'
import type { BuyerDetails } from './buyer.tsx'
import { type Offer, OrderDetails, OrderLine, OrderSummary } from './order-summary.tsx'
import { Steps } from './steps.tsx'
import { useOwned } from './use-owned.ts'

export default function CheckoutPage() {
  const { user, isLoading } = useUser()
  const { search, navigate } = useNavigation()
  const order = readOrder(search, useSettings())
  // Only after hydration, because the prerendered page has no query.
  const isUnknown = useHydrated() && order === null
  useEffect(() => {
    if (isUnknown) navigate('/products', { replace: true })
  }, [isUnknown, navigate])
  useReloadAfterBack()
  if (isLoading || !order) return <Loading />
  // Same height as the spinner, so that the footer does not move.
  return (
    <div className="min-h-[calc(100vh-4rem)]">
      <Checkout key={order.product.slug} {...order} user={user} />
    </div>
  )
}

function Checkout({ product, billing, user }: Order & { user: User | null }) {
  const owned = useOwned(product.slug)
  // Quotes from the server for each plan; without one, the price from the page's settings.
  const [offers, setOffers] = useState<Partial<Record<BillingType, Offer>>>({})
  const [details, setDetails] = useState<BuyerDetails | null>(null)
  const { amount: price } = usePlan(product.slug, billing)
  const offer = offers[billing] ?? { price, due: price }

  /** Drops the quotes of other plans if the discount code has changed, because they are outdated. */
  const storeOffer = (newOffer: Offer) =>
    setOffers((storedOffers) => {
      const newCode = newOffer.discount?.code
      const hasSameCode = Object.values(storedOffers).every(({ discount }) => discount?.code === newCode)
      return hasSameCode ? { ...storedOffers, [billing]: newOffer } : { [billing]: newOffer }
    })

  if (owned.isPending) return <Loading />
  return (
    <Container className="grid gap-8 py-10 sm:py-16 lg:grid-cols-[1fr_24rem] lg:items-start lg:gap-12">
      <div className="flex min-w-0 flex-col gap-6 sm:gap-8">
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
          <h1 className="text-3xl">Checkout</h1>
          {!owned.purchase && <StepMarker hasDetails={details !== null} />}
        </div>
        {owned.purchase ? (
          <AlreadyOwned user={user} product={product} />
        ) : (
          <>
            <div className="lg:hidden">
              <OrderLine product={product} billing={billing} offer={offer} />
            </div>
            <Steps {...{ product, billing, offer, user, details }} onOffer={storeOffer} onDetails={setDetails} />
            <OrderDetails product={product} />
          </>
        )}
      </div>
      {!owned.purchase && <OrderSummary product={product} billing={billing} offer={offer} />}
    </Container>
  )
}

function StepMarker({ hasDetails }: { hasDetails: boolean }) {
  const isAtPaymentAddress = usePageLocation(({ search }) => isAtPayment(search))
  // A reload at the payment address loses the details, and shows their form again.
  const currentIndex = hasDetails && isAtPaymentAddress ? 1 : 0
  return (
    <ol aria-label="Steps" className="flex gap-x-5 text-sm text-muted">
      {['Details', 'Payment'].map((name, index) => (
        <li
          key={name}
          aria-current={index === currentIndex ? 'step' : undefined}
          className="aria-[current]:font-medium aria-[current]:text-ink"
        >
          <span className="mr-1.5 font-mono">{index + 1}</span>
          {name}
        </li>
      ))}
    </ol>
  )
}

function AlreadyOwned({ user, product }: { user: User | null; product: ListedProduct }) {
  return (
    <Card className="flex flex-col items-start gap-5 sm:p-8">
      <p>You already have a subscription to {product.name}. You can manage it on your dashboard.</p>
      <p className="text-sm text-muted">
        You are logged in as <span className="font-medium wrap-anywhere">{user?.email}</span>.
      </p>
      <ButtonLink href="/dashboard">Go to your dashboard</ButtonLink>
    </Card>
  )
}

/** Reloads a page restored from the back/forward cache, which would show "Processing..." forever. */
function useReloadAfterBack() {
  useEffect(() => {
    const reloadIfRestored = (event: PageTransitionEvent) => event.persisted && location.reload()
    addEventListener('pageshow', reloadIfRestored)
    return () => removeEventListener('pageshow', reloadIfRestored)
  }, [])
}
