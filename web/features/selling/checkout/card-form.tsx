import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { useSettings } from '#web/api/settings.tsx'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { useTheme } from '#web/ui/theme.tsx'
import { dismissToast } from '#web/ui/toast.tsx'
import { appearanceFor, fonts } from './appearance.ts'
import { loadStripeOnce } from './load-stripe.ts'
import { CardFieldsSkeleton, CardFormSkeleton } from './payment-skeleton.tsx'

/** `clientSecret` of an existing intent, or an amount in cents that may still change. */
type IntentOrAmount = { clientSecret: string } | { amountDue: number }

type Props = IntentOrAmount & {
  /** True while the intent is being created, so that nothing can be paid. */
  isWaiting?: boolean
  label: string
  email?: string | undefined
  /** Returns an error to show below the fields; undefined after success, or if a field shows it. */
  onSubmit: (stripe: Stripe, elements: StripeElements) => Promise<string | undefined>
  children?: ReactNode
}

/** Card numbers never reach the shop. */
export default function CardForm(props: Props) {
  const { stripe: settings } = useSettings()
  const theme = useTheme()
  // Kept here, because the fields are mounted again when `clientSecret` changes.
  const [refusal, setRefusal] = useState('')
  const {
    data: stripe,
    error,
    refetch,
  } = useQuery({
    queryKey: ['stripe', settings.scriptUrl],
    queryFn: () => loadStripeOnce(settings),
    structuralSharing: false,
  })

  if (error) return <NotLoaded text={error.message} retry={() => void refetch()} />
  if (!stripe) return <CardFormSkeleton label={props.label}>{props.children}</CardFormSkeleton>
  return (
    <Elements
      // A new key, because Stripe's elements cannot change their secret.
      key={'clientSecret' in props ? props.clientSecret : 'amount'}
      stripe={stripe}
      options={{ ...intentOptions(props), appearance: appearanceFor(theme), fonts: fonts() }}
    >
      <Fields {...props} refusal={refusal} setRefusal={setRefusal} />
    </Elements>
  )
}

function intentOptions(intent: IntentOrAmount) {
  if ('clientSecret' in intent) return { clientSecret: intent.clientSecret }
  // Must match the intent that the server creates; otherwise Stripe refuses the payment.
  return { mode: 'subscription', amount: intent.amountDue, currency: 'usd', paymentMethodTypes: ['card'] } as const
}

type RefusalState = { refusal: string; setRefusal: (refusal: string) => void }

function Fields({ label, isWaiting = false, email, onSubmit, children, refusal, setRefusal }: Props & RefusalState) {
  const stripe = useStripe()
  const elements = useElements()
  const [isReady, setIsReady] = useState(false)
  const [isBroken, setIsBroken] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  // A ref, because two clicks can come before the next render.
  const isSubmitting = useRef(false)

  async function submit() {
    if (!stripe || !elements || isWaiting || isSubmitting.current) return
    isSubmitting.current = true
    setIsBusy(true)
    setRefusal('')
    // A toast about the last attempt would cover the bank's dialog.
    dismissToast()
    try {
      setRefusal((await onSubmit(stripe, elements)) ?? '')
    } catch {
      setRefusal('We couldn’t reach the payment service. Please try again: you won’t be charged twice.')
    } finally {
      isSubmitting.current = false
      setIsBusy(false)
    }
  }

  if (isBroken)
    return (
      <NotLoaded
        text="We couldn’t load the payment form. Please check your connection and try again."
        retry={() => setIsBroken(false)}
      />
    )
  return (
    <form
      aria-label="Payment"
      className="flex flex-col gap-6"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div className="relative min-h-52">
        {!isReady && <CardFieldsSkeleton />}
        <div className={isReady ? '' : 'absolute inset-0 opacity-0'}>
          <PaymentElement
            options={email ? { defaultValues: { billingDetails: { email } } } : {}}
            onReady={() => setIsReady(true)}
            onLoadError={() => setIsBroken(true)}
            onChange={() => {
              if (!isSubmitting.current) setRefusal('')
            }}
          />
        </div>
      </div>
      {refusal && (
        <Notice ref={focus} tabIndex={-1} tone="bad" className="scroll-mb-6 font-medium">
          {refusal}
        </Notice>
      )}
      {children}
      <Button
        type="submit"
        size="lg"
        className="w-full"
        disabled={!stripe || !elements || !isReady || isWaiting}
        pending={isBusy}
        pendingText="Processing..."
      >
        <Lock aria-hidden="true" className="size-4" />
        {label}
      </Button>
    </form>
  )
}

/** On a phone, scrolls the notice to the bottom, so that the toast at the top does not cover the card fields. */
function focus(notice: HTMLElement | null) {
  notice?.focus({ preventScroll: true })
  notice?.scrollIntoView({ block: innerWidth < 768 ? 'end' : 'nearest' })
}

function NotLoaded({ text, retry }: { text: string; retry: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-4">
      <p>{text}</p>
      <Button variant="secondary" onClick={retry}>
        Try again
      </Button>
    </div>
  )
}
