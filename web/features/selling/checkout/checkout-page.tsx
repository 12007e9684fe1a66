import { type ComponentType, useEffect, useState } from 'react'
import type { User } from '#contract/identity/session.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { useUser } from '#web/api/session.ts'
import { usePrices, useSettings } from '#web/api/settings.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { useHydrated } from '#web/ui/store.ts'
import { type Order, readOrder } from './address.ts'
import { type Offer, OrderDetails, OrderLine, OrderSummary } from './order-summary.tsx'
import { Steps } from './steps.tsx'
import { useOwned } from './use-owned.ts'

export default function CheckoutPage() {
  const { user, isLoading } = useUser()
  const { search, navigate } = useNavigation()
  const { products } = useSettings()
  const order = readOrder(search, products)
  const { product } = order ?? { product: products[0] }
  const owned = useOwned(product.slug)
  // What the server has said about each product's plans since the page was loaded.
  const [offers, setOffers] = useState<Record<string, Offer>>({})
  const billing = order?.billing ?? 'monthly'
  const price = usePrices(product.slug)[billing]
  const plan = `${product.slug} ${billing}`
  const offer = offers[plan] ?? { price, due: price }
  // The page is rendered before its address is known, with what most visitors see: the guest's form.
  const isUnknown = useHydrated() && order === null
  // What was typed into it stays when the order is known; only another product begins again.
  const [first, setFirst] = useState(order?.product)
  if (!first && order) setFirst(order.product)
  useEffect(() => {
    if (isUnknown) navigate('/products', { replace: true })
  }, [isUnknown, navigate])
  useReloadWhenBack()
  return (
    <Container className="grid gap-8 py-10 sm:py-16 lg:grid-cols-[1fr_24rem] lg:items-start lg:gap-12">
      <div className="flex min-w-0 flex-col gap-6 sm:gap-8">
        <h1 className="text-3xl">Checkout</h1>
        <div className="lg:hidden" hidden={!!owned.purchase}>
          <Placeheld by={OrderLine} offer={offer} order={order} product={product} />
        </div>
        {(isLoading || owned.isPending || isUnknown) && (
          <Card
            className={classes(
              'min-h-[35rem] place-items-center sm:min-h-[31.5rem]',
              isLoading && !isUnknown ? 'hidden in-[.returning]:grid' : 'grid',
            )}
          >
            <output className="flex flex-col items-center gap-4 text-muted">
              <Spinner className="size-8 text-accent" />
              <p>Loading...</p>
            </output>
          </Card>
        )}
        {owned.purchase && <AlreadyOwned user={user} product={product} />}
        {!owned.purchase && !owned.isPending && !isUnknown && (
          <div className={classes('flex flex-col gap-6 sm:gap-8', isLoading && 'in-[.returning]:hidden')}>
            <Steps
              key={!order || product === first ? '' : product.slug}
              product={product}
              billing={billing}
              offer={offer}
              onOffer={(next) =>
                setOffers((others) => ({
                  // With another code or none, the other plan costs something else, too.
                  ...(Object.values(others).every((each) => each.discount?.code === next.discount?.code) && others),
                  [plan]: next,
                }))
              }
              user={isLoading ? undefined : user}
            />
          </div>
        )}
        {!owned.purchase && <OrderDetails product={product} />}
      </div>
      {!owned.purchase && <Placeheld by={OrderSummary} offer={offer} order={order} product={product} />}
    </Container>
  )
}

/** Until the address is known, the same part, unseen, takes the same place. */
function Placeheld(props: {
  by: ComponentType<Order & { offer: Offer }>
  offer: Offer
  order: Order | null
  product: ListedProduct
}) {
  const { by: Part, offer, order, product } = props
  // The same element before and after: React would draw all of it again below another one.
  return (
    <div
      aria-hidden={!order || undefined}
      className={order ? 'contents' : 'animate-pulse rounded-lg bg-line *:invisible'}
    >
      <Part {...(order ?? { billing: 'monthly', product })} offer={offer} />
    </div>
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

/** Restored from the back/forward cache, the page would say "Processing..." forever. */
function useReloadWhenBack() {
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => event.persisted && location.reload()
    addEventListener('pageshow', shown)
    return () => removeEventListener('pageshow', shown)
  }, [])
}
