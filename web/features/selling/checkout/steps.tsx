import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import type { User } from '#contract/identity/session.ts'
import { checkout, type Discount, newsVersion } from '#contract/selling/checkout.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { BillingType } from '#contract/statuses.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { useNavigation } from '#web/ui/navigation.tsx'
import { checkoutAddress, isAtPayment } from './address.ts'
import { type Asked, Buyer } from './buyer.tsx'
import { CardBrands } from './card-brands.tsx'
import { CodeField, useCodeField } from './code-field.tsx'
import type { Offer } from './order-summary.tsx'
import { loadCardForm, Payment, type Ready } from './payment.tsx'

type StepsProps = {
  product: ListedProduct
  billing: BillingType
  offer: Offer
  onOffer: (offer: Offer) => void
  user: User | null
}

/** State of the checkout: details, payable intent, and code. */
function useSteps({ product, billing, offer, onOffer, user }: StepsProps) {
  const [asked, setAsked] = useState<Asked | null>(null)
  // A new checkout cancels the earlier one, so only the latest can be paid.
  const [ready, setReady] = useState<(Ready & { wanted: string }) | null>(null)
  const [refusal, setRefusal] = useState<ApiError | null>(null)
  const { navigate, search } = useNavigation()
  const [code, setCode] = useCode(search)
  const choice = `${billing} ${code ?? ''}`
  const begin = useCall(checkout.createSubscriptionIntent, {})
  const codeField = useCodeField({ product, billing, code, discount: offer.discount, onChange: setDiscount })
  const isPaying = asked !== null && isAtPayment(search)

  /** Retries once, because another tab of this browser may have begun the same checkout. */
  const beginOrRetry = (wish: Parameters<typeof begin.mutateAsync>[0]) =>
    begin.mutateAsync(wish).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'changed-meanwhile') return begin.mutateAsync(wish)
      throw error
    })

  async function proceed(buyer: Asked) {
    void loadCardForm().catch(() => undefined)
    setRefusal(null)
    const { email, tradingViewUsername, noNews, country, ...where } = buyer
    // Applies a typed code first. A refused code stops here; its field shows why.
    const typed = code ? null : await codeField.apply()
    const wantedCode = typed?.code ?? code
    try {
      const {
        clientSecret,
        isPaid,
        amountDue,
        tax,
        discount: charges,
      } = await beginOrRetry({
        productSlug: product.slug,
        billingType: billing,
        amount: offer.price,
        ...(wantedCode ? { code: wantedCode } : {}),
        ...(user ? {} : { email }),
        ...(tradingViewUsername ? { tradingViewUsername } : {}),
        news: { version: newsVersion, objects: !!noNews },
        ...(country ? { place: { country, ...where } } : {}),
      })
      if (isPaid) {
        // Already paid in another tab or before a reload; only the booking is missing.
        const [paymentIntentId = ''] = clientSecret.split('_secret_')
        navigate(`/checkout/success?payment_intent=${paymentIntentId}`)
        return
      }
      const charged = { ...offer, due: amountDue, discount: charges }
      onOffer(charged)
      setReady({ wanted: `${billing} ${wantedCode ?? ''}`, clientSecret, tax, offer: charged })
      setAsked(buyer)
      // A history entry for the payment step, so Back returns to the filled-in details.
      if (!isPaying) navigate(checkoutAddress(billing, product.slug, 'payment'))
    } catch (error) {
      returnToDetails()
      if (error instanceof ApiError && error.code === 'code-refused') setDiscount(null)
      if (error instanceof ApiError && error.currentAmount !== undefined)
        onOffer({ price: error.currentAmount, due: error.currentAmount })
      toastError({ title: 'Error', description: 'Failed to initialize checkout' }, error)
      // An existing subscription is no error; the message stays with a link to it.
      if (error instanceof ApiError && error.status === 409) setRefusal(error)
      // The form also shows it at the field.
      throw error
    }
  }

  /** Plans cost different amounts with a code, so a begun payment starts over. */
  function setDiscount(discount: Discount | null) {
    if (discount?.code !== code) setReady(null)
    setCode(discount?.code ?? '')
    onOffer({ price: offer.price, due: discount?.due ?? offer.price, discount: discount ?? undefined })
  }

  function returnToDetails() {
    setAsked(null)
    setReady(null)
    if (isPaying) navigate(checkoutAddress(billing, product.slug), { replace: true })
  }

  const current = ready?.wanted === choice ? ready : undefined
  const missing = isPaying && !current ? choice : null
  // Begins again when plan or code change at the payment step, also while an earlier call is pending.
  const fetchMissing = useEffectEvent(async () => {
    if (asked) await proceed(asked)
  })
  useEffect(() => {
    if (missing)
      Promise.resolve()
        .then(fetchMissing)
        .catch(() => undefined)
  }, [missing])

  return {
    asked: isPaying ? asked : null,
    current,
    refusal,
    isPending: begin.isPending,
    proceed,
    returnToDetails,
    refuse(refused: ApiError) {
      returnToDetails()
      setRefusal(refused)
    },
    code,
    codeField,
    openCode: () => setCode(''),
    closeCode: () => setCode(null),
    removeCode: () => setDiscount(null),
  }
}

export function Steps(props: StepsProps) {
  const { product, billing, offer, user } = props
  const { asked, current, refusal, isPending, proceed, returnToDetails, refuse, ...discount } = useSteps(props)
  const codes = (
    <CodeField
      field={discount.codeField}
      code={discount.code}
      discount={offer.discount}
      onOpen={discount.openCode}
      onClose={discount.closeCode}
      onRemove={discount.removeCode}
    />
  )
  return (
    <>
      {/* Hidden instead of removed, so typed values survive Back. */}
      <Card className={classes('flex flex-col gap-6 sm:p-8', asked && 'hidden')}>
        <Buyer {...{ product, user, refusal, isPending }} onContinue={proceed}>
          {!asked && codes}
        </Buyer>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-5 text-sm text-muted">
          <CardBrands />
          Secure card payment by Stripe
        </div>
      </Card>
      {asked && (
        <Payment
          ready={current}
          email={asked.email}
          username={asked.tradingViewUsername}
          product={product}
          billing={billing}
          offer={offer}
          onChange={user && !product.unlocksItself ? null : returnToDetails}
          onReplaced={refuse}
        >
          {codes}
        </Payment>
      )}
    </>
  )
}

function useCode(search: string) {
  const [code, setCode] = useState<string | null>(null)
  const linked = new URLSearchParams(search).get('code')
  if (code === null && linked) setCode(linked)
  return [code, setCode] as const
}
