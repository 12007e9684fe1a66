import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import type { User } from '#contract/identity/session.ts'
import { checkout, type Discount, newsVersion } from '#contract/selling/checkout.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { BillingType } from '#contract/statuses.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { TextButton } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { type Asked, Buyer } from './buyer.tsx'
import { CardBrands } from './card-brands.tsx'
import CodeField from './code-field.tsx'
import type { Offer } from './order-summary.tsx'
import { loadCardForm, Payment, type Ready } from './payment.tsx'

export function Steps(props: {
  product: ListedProduct
  billing: BillingType
  offer: Offer
  onOffer: (offer: Offer) => void
  user: User | null
}) {
  const { product, billing, offer, onOffer, user } = props
  const [asked, setAsked] = useState<Asked | null>(null)
  // A new checkout cancels the earlier one, so only the latest can be paid.
  const [ready, setReady] = useState<(Ready & { wanted: string }) | null>(null)
  const [refusal, setRefusal] = useState<ApiError | null>(null)
  const { navigate, search } = useNavigation()
  const [code, setCode] = useCode(search)
  const wanted = `${billing} ${code ?? ''}`
  const begin = useCall(checkout.createSubscriptionIntent, {})

  /** Another tab of this browser was faster: asked again, the server knows both as one. */
  const twice = (wish: Parameters<typeof begin.mutateAsync>[0]) =>
    begin.mutateAsync(wish).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'changed-meanwhile') return begin.mutateAsync(wish)
      throw error
    })

  async function proceed(buyer: Asked) {
    void loadCardForm().catch(() => undefined)
    setRefusal(null)
    const { email, tradingViewUsername, noNews, country, ...where } = buyer
    try {
      const { clientSecret, isPaid, amountDue, tax, discount } = await twice({
        productSlug: product.slug,
        billingType: billing,
        amount: offer.price,
        ...(code ? { code } : {}),
        ...(user ? {} : { email }),
        ...(tradingViewUsername ? { tradingViewUsername } : {}),
        news: { version: newsVersion, objects: !!noNews },
        ...(country ? { place: { country, ...where } } : {}),
      })
      if (isPaid) {
        // Just paid, in another tab or before a reload: all that's left is to wait.
        const [paymentIntentId = ''] = clientSecret.split('_secret_')
        navigate(`/checkout/success?payment_intent=${paymentIntentId}`)
        return
      }
      const charged = { ...offer, due: amountDue, discount }
      onOffer(charged)
      setReady({ wanted, clientSecret, tax, offer: charged })
      setAsked(buyer)
    } catch (error) {
      startOver()
      if (error instanceof ApiError && error.code === 'code-refused') setDiscount(null)
      if (error instanceof ApiError && error.amount !== undefined) onOffer({ price: error.amount, due: error.amount })
      toastError({ title: 'Error', description: 'Failed to initialize checkout' }, error)
      // Having a subscription already is no mistake: the message stays, with the way to it.
      if (error instanceof ApiError && error.status === 409) setRefusal(error)
      // The form says it at the field, too.
      throw error
    }
  }

  /** Each plan has another price with it; a payment that has begun begins again. */
  function setDiscount(discount: Discount | null) {
    if (discount?.code !== code) setReady(null)
    setCode(discount?.code ?? '')
    onOffer({ price: offer.price, due: discount?.due ?? offer.price, discount: discount ?? undefined })
  }

  function startOver() {
    setAsked(null)
    setReady(null)
  }

  const current = ready?.wanted === wanted ? ready : undefined
  const missing = asked && !current ? wanted : null
  // Another plan or code was chosen at the payment step, maybe while the one before it was still being asked for.
  const fetchMissing = useEffectEvent(async () => {
    if (asked) await proceed(asked)
  })
  useEffect(() => {
    if (missing)
      Promise.resolve()
        .then(fetchMissing)
        .catch(() => undefined)
  }, [missing])

  const { discount } = offer
  const codeField =
    code === null ? (
      <TextButton className="self-start text-sm" onClick={() => setCode('')}>
        Have a code?
      </TextButton>
    ) : (
      <CodeField {...{ product, billing, code, discount }} onChange={setDiscount} />
    )
  if (asked)
    return (
      <>
        <Payment
          ready={current}
          email={asked.email}
          product={product}
          billing={billing}
          offer={offer}
          onChange={user ? null : startOver}
          onReplaced={(refused) => {
            startOver()
            setRefusal(refused)
          }}
        />
        {codeField}
      </>
    )
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <Buyer {...{ product, user, refusal }} isPending={begin.isPending} onContinue={proceed} />
      {codeField}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-5 text-sm text-muted">
        <CardBrands />
        Secure card payment by Stripe
      </div>
    </Card>
  )
}

function useCode(search: string) {
  const [code, setCode] = useState<string | null>(null)
  const linked = new URLSearchParams(search).get('code')
  if (code === null && linked) setCode(linked)
  return [code, setCode] as const
}
