import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { lazy, type ReactNode, Suspense } from 'react'
import { ApiError } from '#contract/call.ts'
import { exactDollars } from '#contract/money.ts'
import type { Tax } from '#contract/selling/billing.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { declineSentence, isDecline } from '#contract/selling/declines.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { BillingType } from '#contract/statuses.ts'
import { call } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { messageOf } from '#web/api/use-call.ts'
import { TextButton } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { toast } from '#web/ui/toast.tsx'
import { OrderEssentials } from './order-essentials.tsx'
import type { Offer } from './order-summary.tsx'
import { CardFormSkeleton } from './payment-skeleton.tsx'

// Loaded on demand, because it brings Stripe's script.
export const loadCardForm = () => import('./card-form.tsx')
const CardForm = lazy(loadCardForm)

/** `offer` is what the intent charges. */
export type PreparedPayment = { clientSecret: string; tax: Tax | undefined; offer: Offer }

/** The card fields stay while plan or code change; only the intent is created again. */
export function Payment(props: {
  /** Undefined while the intent for another plan is created. */
  prepared: PreparedPayment | undefined
  email: string
  username: string
  product: ListedProduct
  billing: BillingType
  offer: Offer
  onChange: (() => void) | null
  /** Called if another checkout of this buyer has replaced this one. */
  onReplaced: (refusal: ApiError) => void
  children: ReactNode
}) {
  const { prepared, email, username, product, billing, onChange, onReplaced, children } = props
  const offer = prepared?.offer ?? props.offer
  const label = `Pay ${exactDollars(offer.due)}`
  const { consumerLaw } = useSettings()
  const essentials = <OrderEssentials product={product} billing={billing} offer={offer} tax={prepared?.tax} />
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        {/* The focused button is gone, so the heading takes the focus. */}
        <h2 ref={focus} tabIndex={-1} className="text-xl">
          Payment
        </h2>
        <p className="flex min-w-0 flex-wrap gap-x-3 text-sm text-muted">
          <span className="wrap-anywhere">{email}</span>
          {username && <span className="wrap-anywhere">TradingView: {username}</span>}
          {onChange && <TextButton onClick={onChange}>Change</TextButton>}
        </p>
      </div>
      {children}
      <Suspense fallback={<CardFormSkeleton label={label}>{essentials}</CardFormSkeleton>}>
        <CardForm
          amountDue={offer.due}
          isWaiting={!prepared}
          email={email}
          label={label}
          onSubmit={async (stripe, elements) => {
            // Stripe requires `elements.submit()` before any other await.
            const { error: incomplete } = await elements.submit()
            if (incomplete) {
              toastFailure(incomplete.message)
              return undefined
            }
            const clientSecret = prepared?.clientSecret ?? ''
            try {
              await recordAgreement(clientSecret)
            } catch (error) {
              if (error instanceof ApiError && error.code === 'changed-meanwhile') onReplaced(error)
              return toastFailure(messageOf(error))
            }
            return pay(stripe, elements, clientSecret)
          }}
        >
          {essentials}
        </CardForm>
      </Suspense>
      <p className="text-sm text-muted">
        Your access starts once we have your TradingView username.{' '}
        {consumerLaw === 'eu' && 'If you withdraw within 14 days, you get all your money back. '}
        By paying you agree to the{' '}
        <a href="/legal/terms" target="_blank" rel="noreferrer" className="underline underline-offset-2">
          Terms of Service
        </a>
        .
      </p>
    </Card>
  )
}

/** Returns an error message, or undefined if a field shows it. After success, Stripe.js leaves the page. */
async function pay(stripe: Stripe, elements: StripeElements, clientSecret: string) {
  const { error } = await stripe.confirmPayment({
    elements,
    clientSecret,
    confirmParams: { return_url: new URL('/checkout/success', location.origin).href },
  })
  const reason = toastFailure(error.message)
  if (error.type === 'validation_error') return undefined
  // Other errors, such as a lost connection, leave open whether the card was charged.
  return isDecline(error) ? `${declineSentence(error)} You weren’t charged.` : reason
}

/** Returns the reason, so that the form can show it, too. */
function toastFailure(reason = 'Please try again.') {
  toast({ title: 'Payment Failed', description: reason, destructive: true })
  return reason
}

function recordAgreement(clientSecret: string) {
  const [paymentIntentId = ''] = clientSecret.split('_secret_')
  return call(checkout.agree, { paymentIntentId })
}

const focus = (heading: HTMLElement | null) => heading?.focus()
