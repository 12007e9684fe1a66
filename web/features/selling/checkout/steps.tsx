import { useEffect, useEffectEvent, useState } from 'react'
import { access } from '#contract/access/access.ts'
import { ApiError } from '#contract/call.ts'
import type { InputOf } from '#contract/endpoint.ts'
import type { User } from '#contract/identity/session.ts'
import { checkout, type Discount, newsVersion } from '#contract/selling/checkout.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { purchases } from '#contract/selling/purchases.ts'
import type { BillingType } from '#contract/statuses.ts'
import { useRefresh } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { useNavigation } from '#web/ui/navigation.tsx'
import { checkoutAddress, isAtPayment } from './address.ts'
import { Buyer, type BuyerDetails } from './buyer.tsx'
import { CardBrands } from './card-brands.tsx'
import { CodeField, useCode, useCodeField } from './code-field.tsx'
import type { Offer } from './order-summary.tsx'
import { loadCardForm, Payment, type PreparedPayment } from './payment.tsx'
import { useNeedsBillingLocation } from './place-fields.tsx'

type StepsProps = {
  product: ListedProduct
  billing: BillingType
  offer: Offer
  onOffer: (offer: Offer) => void
  user: User | null
  /** Input of the details step; null until the buyer has finished it. */
  details: BuyerDetails | null
  onDetails: (details: BuyerDetails | null) => void
}

type IntentInput = InputOf<typeof checkout.createSubscriptionIntent>

const joinPlanAndCode = (billing: BillingType, code: string | null) => `${billing} ${code ?? ''}`

const readAddress = () => location.pathname + location.search

function useSteps({ product, billing, offer, onOffer, user, details, onDetails }: StepsProps) {
  // The server cancels the previous intent, so only the latest one can be paid. It is valid for one plan and code.
  const [prepared, setPrepared] = useState<(PreparedPayment & { planAndCode: string }) | null>(null)
  const [refusal, setRefusal] = useState<ApiError | null>(null)
  const { navigate, search } = useNavigation()
  const [code, setCode] = useCode(search)
  const planAndCode = joinPlanAndCode(billing, code)
  // In order, because each intent cancels the one before: an earlier call that arrived later would cancel the newest.
  const begin = useCall(checkout.createSubscriptionIntent, { scope: 'checkout' })
  const refreshPurchases = useRefresh([purchases.list, access.mine])
  const codeField = useCodeField({ product, billing, code, discount: offer.discount, onChange: setDiscount })
  const isPaying = details !== null && isAtPayment(search)

  /** Retries once, because another tab of this browser may have begun the same checkout. */
  async function beginOrRetry(input: IntentInput) {
    try {
      return await begin.mutateAsync(input)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed-meanwhile') return begin.mutateAsync(input)
      throw error
    }
  }

  function intentInputFor(buyer: BuyerDetails, codeToUse: string | null): IntentInput {
    const { email, tradingViewUsername, noNews, country, ...place } = buyer
    const input: IntentInput = {
      productSlug: product.slug,
      billingType: billing,
      amount: offer.price,
      news: { version: newsVersion, objects: noNews !== '' },
    }
    if (codeToUse) input.code = codeToUse
    if (!user) input.email = email
    if (tradingViewUsername) input.tradingViewUsername = tradingViewUsername
    if (country) input.place = { country, ...place }
    return input
  }

  /** Throws after showing an error. */
  async function preparePayment(buyer: BuyerDetails) {
    void loadCardForm().catch(() => undefined)
    setRefusal(null)
    const address = readAddress()
    // A refused code throws here, and its field shows why.
    const typedDiscount = code ? null : await codeField.apply()
    const codeToUse = typedDiscount?.code ?? code
    try {
      const intent = await beginOrRetry(intentInputFor(buyer, codeToUse))
      const { clientSecret, isPaid, amountDue, tax, discount } = intent
      // During the call, the buyer may have chosen another plan or page.
      const isUnchanged = readAddress() === address
      if (isPaid) {
        if (!isUnchanged) return
        // Paid in another tab or before a reload; the success page records the purchase.
        const [paymentIntentId = ''] = clientSecret.split('_secret_')
        navigate(`/checkout/success?payment_intent=${paymentIntentId}`)
        return
      }
      const preparedOffer = { ...offer, due: amountDue, discount }
      onOffer(preparedOffer)
      setPrepared({ planAndCode: joinPlanAndCode(billing, codeToUse), clientSecret, tax, offer: preparedOffer })
      onDetails(buyer)
      // Adds a history entry, so that Back returns to the filled-in details.
      if (!isPaying && isUnchanged) navigate(checkoutAddress(billing, product.slug, 'payment'))
    } catch (error) {
      if (readAddress() === address) returnToDetails()
      const apiError = error instanceof ApiError ? error : null
      if (apiError?.code === 'code-refused') setDiscount(null)
      // Bought in another tab.
      if (apiError?.code === 'already-subscribed') void refreshPurchases()
      // The price has changed since the page was loaded.
      const currentPrice = apiError?.currentAmount
      if (currentPrice !== undefined) onOffer({ price: currentPrice, due: currentPrice })
      toastError({ title: 'Error', description: 'Failed to initialize checkout' }, error)
      // Shown permanently, because some refusals come with a link.
      if (apiError?.status === 409) setRefusal(apiError)
      // The form shows field errors.
      throw error
    }
  }

  /** Another code changes the amount, so the prepared payment is dropped. */
  function setDiscount(discount: Discount | null) {
    if (discount?.code !== code) setPrepared(null)
    setCode(discount?.code ?? '')
    onOffer({ price: offer.price, due: discount?.due ?? offer.price, discount: discount ?? undefined })
  }

  function returnToDetails() {
    onDetails(null)
    setPrepared(null)
    if (isPaying) navigate(checkoutAddress(billing, product.slug), { replace: true })
  }

  const preparedForChoice = prepared?.planAndCode === planAndCode ? prepared : undefined
  const planAndCodeToPrepare = isPaying && !preparedForChoice ? planAndCode : null
  const prepareAgain = useEffectEvent(() => {
    if (details) preparePayment(details).catch(() => undefined)
  })
  // Prepares a new payment when plan or code change at the payment step, also while an earlier call is pending.
  // In a microtask, because `preparePayment` sets state, and an effect must not do so while it runs.
  useEffect(() => {
    if (planAndCodeToPrepare) queueMicrotask(prepareAgain)
  }, [planAndCodeToPrepare])

  return {
    details: isPaying ? details : null,
    prepared: preparedForChoice,
    refusal,
    isPending: begin.isPending,
    preparePayment,
    returnToDetails,
    showRefusal(error: ApiError) {
      returnToDetails()
      setRefusal(error)
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
  const { details, prepared, refusal, isPending, preparePayment, returnToDetails, showRefusal, ...codeState } =
    useSteps(props)
  const codeField = (
    <CodeField
      field={codeState.codeField}
      code={codeState.code}
      discount={offer.discount}
      onOpen={codeState.openCode}
      onClose={codeState.closeCode}
      onRemove={codeState.removeCode}
    />
  )
  // A logged-in user types nothing if the form asks neither for a username nor for the place.
  const needsPlace = useNeedsBillingLocation()
  const hasTypedDetails = !user || product.unlocksItself || needsPlace
  return (
    <>
      {/* Hidden instead of removed, so that typed values survive Back. */}
      <Card className={classes('flex flex-col gap-6 sm:p-8', details && 'hidden')}>
        <Buyer {...{ product, user, refusal, isPending }} onContinue={preparePayment}>
          {!details && codeField}
        </Buyer>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-5 text-sm text-muted">
          <CardBrands />
          Secure card payment by Stripe
        </div>
      </Card>
      {details && (
        <Payment
          prepared={prepared}
          email={details.email}
          username={details.tradingViewUsername}
          product={product}
          billing={billing}
          offer={offer}
          onChange={hasTypedDetails ? returnToDetails : null}
          onReplaced={showRefusal}
        >
          {codeField}
        </Payment>
      )}
    </>
  )
}
