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
import { stripeOf } from './load-stripe.ts'
import { CardFieldsSkeleton, CardFormSkeleton } from './payment-skeleton.tsx'

/** Card fields for an existing intent, or for an amount that may still change. */
type CardFor = { clientSecret: string } | { amountDue: number }

type Props = CardFor & {
  /** True while the intent is being made and nothing can be paid. */
  isWaiting?: boolean
  label: string
  email?: string | undefined
  /**
   * The form stays busy until this resolves, or forever if the browser leaves the page. Returns why it didn't work, which
   * stays below the fields; nothing if a field says so itself.
   */
  onSubmit: (stripe: Stripe, elements: StripeElements) => Promise<string | undefined>
  /** Content directly above the button. */
  children?: ReactNode
}

/** Stripe's own card fields, styled like the shop. Card numbers never pass through the shop. */
export default function CardForm(props: Props) {
  const { stripe: settings } = useSettings()
  const theme = useTheme()
  const [refusal, setRefusal] = useState('')
  const {
    data: stripe,
    error,
    refetch,
  } = useQuery({
    queryKey: ['stripe', settings.scriptUrl],
    queryFn: () => stripeOf(settings),
    structuralSharing: false,
  })

  if (error) return <NotLoaded text={error.message} retry={() => void refetch()} />
  if (!stripe) return <CardFormSkeleton label={props.label}>{props.children}</CardFormSkeleton>
  return (
    <Elements
      // Stripe accepts no other secret for existing elements.
      key={'clientSecret' in props ? props.clientSecret : 'amount'}
      stripe={stripe}
      options={{
        ...('clientSecret' in props
          ? { clientSecret: props.clientSecret }
          : // The same as the server's intent; Stripe refuses one that differs.
            { mode: 'subscription', amount: props.amountDue, currency: 'usd', paymentMethodTypes: ['card'] }),
        appearance: appearanceFor(theme),
        fonts: fonts(),
      }}
    >
      <Fields {...props} refusal={refusal} setRefusal={setRefusal} />
    </Elements>
  )
}

type Refusal = { refusal: string; setRefusal: (refusal: string) => void }

function Fields({ label, isWaiting = false, email, onSubmit, children, refusal, setRefusal }: Props & Refusal) {
  const stripe = useStripe()
  const elements = useElements()
  const [isReady, setIsReady] = useState(false)
  const [isBroken, setIsBroken] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const busy = useRef(false)

  async function submit() {
    if (!stripe || !elements || isWaiting || busy.current) return
    busy.current = true
    setIsBusy(true)
    setRefusal('')
    // A toast about the last attempt would lie over the bank's dialog.
    dismissToast()
    try {
      setRefusal((await onSubmit(stripe, elements)) ?? '')
    } catch {
      setRefusal('We couldn’t reach the payment service. Please try again: you won’t be charged twice.')
    } finally {
      busy.current = false
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
              if (!busy.current) setRefusal('')
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

/** On a phone the notice moves to the bottom, so the toast at the top leaves the fields above it free. */
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
