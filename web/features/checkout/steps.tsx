import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { User } from '#contract/accounts.ts'
import type { Tax } from '#contract/billing.ts'
import { ApiError } from '#contract/call.ts'
import { checkout } from '#contract/checkout.ts'
import { email as emailField } from '#contract/fields.ts'
import { startNow } from '#contract/legal/order.ts'
import { termsVersion } from '#contract/legal/versions.ts'
import { priceOf, reboundSigmaPro } from '#contract/price-list.ts'
import type { BillingType } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { call } from '#web/api/client.ts'
import { messageOf, toastError, useCall } from '#web/api/use-call.ts'
import { UsernameInput } from '#web/features/access-request/username-check.tsx'
import { rememberReturnPath } from '#web/features/auth/return-path.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field, Form } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { exactDollars } from '#web/ui/money.ts'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import { CardBrands } from './card-brands.tsx'
import { OrderEssentials } from './order-essentials.tsx'
import { CardFormSkeleton } from './payment-skeleton.tsx'
import { PlaceFields, type PlaceValues, placeForm, useWantsPlace } from './place-fields.tsx'
import { sessionNote } from './session-note.ts'

// Nothing from Stripe is loaded until there is something to pay.
const loadCardForm = () => import('./card-form.tsx')
const CardForm = lazy(loadCardForm)

type Ready = { clientSecret: string; email: string; tax: Tax | undefined }
/** What is asked besides the email; where the buyer lives only matters for tax. */
type Asked = { tradingViewUsername: string } & PlaceValues

/** Who buys, then how they pay. */
export function Steps({ billing, user }: { billing: BillingType; user: User | null }) {
  const [ready, setReady] = useState<Ready | null>(null)
  const [refusal, setRefusal] = useState('')
  const { navigate } = useNavigation()
  const begin = useCall(checkout.createSubscriptionIntent, {})

  async function proceed(email: string | undefined, { tradingViewUsername, country, ...where }: Asked) {
    void loadCardForm().catch(() => undefined)
    setRefusal('')
    try {
      const { clientSecret, isPaid, tax } = await begin.mutateAsync({
        productSlug: reboundSigmaPro.slug,
        billingType: billing,
        ...(user ? {} : { email }),
        ...(tradingViewUsername ? { tradingViewUsername } : {}),
        ...(country ? { place: { country, ...where } } : {}),
      })
      if (isPaid) {
        // Just paid, in another tab or before a reload: all that's left is to wait.
        const [paymentIntentId = ''] = clientSecret.split('_secret_')
        navigate(`/checkout/success?payment_intent=${paymentIntentId}`)
        return
      }
      setReady({ clientSecret, email: user?.email ?? email ?? '', tax })
    } catch (error) {
      // Who has a subscription has made no error: it is said where the way on is.
      if (error instanceof ApiError && error.status === 409) setRefusal(error.serverMessage ?? '')
      else toastError({ title: 'Error', description: 'Failed to initialize checkout' }, error)
    }
  }

  if (ready) return <Payment ready={ready} billing={billing} onChange={user ? null : () => setReady(null)} />
  const step = { isPending: begin.isPending, refusal, onContinue: proceed }
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      {user ? <KnownBuyer {...step} email={user.email} /> : <GuestEmail {...step} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-5 text-sm text-muted">
        <CardBrands />
        Secure card payment by Stripe
      </div>
    </Card>
  )
}

type StepProps = {
  isPending: boolean
  refusal: string
  onContinue: (email: string | undefined, asked: Asked) => Promise<void>
}

const link = 'font-medium text-accent-strong underline underline-offset-2'

function KnownBuyer({ email, isPending, refusal, onContinue }: StepProps & { email: string }) {
  const wantsPlace = useWantsPlace()
  return (
    <>
      <p>
        You are logged in as <strong className="font-semibold break-all">{email}</strong>. The subscription
        will belong to this account.
      </p>
      <Refusal text={refusal}>
        <Link href="/dashboard" className={link}>
          Go to your dashboard
        </Link>
      </Refusal>
      <Form
        schema={wantsPlace ? nameAndPlaceForm : nameForm}
        aria-label="TradingView username"
        className="flex flex-col gap-6"
        onSubmit={(asked: Asked) => onContinue(undefined, asked)}
      >
        <NameField />
        {wantsPlace && <PlaceFields />}
        <Button type="submit" size="lg" pending={isPending} pendingText="Loading...">
          Continue to Payment
        </Button>
      </Form>
    </>
  )
}

const guestEmail = sessionNote('checkout-email')
const nameForm = z.object({ tradingViewUsername: z._default(z.string(), '') })
const guestForm = z.extend(nameForm, { email: emailField(z) })
const nameAndPlaceForm = z.extend(nameForm, placeForm)
const guestAndPlaceForm = z.extend(guestForm, placeForm)

/** Asked before paying, so that everything is unlocked right after it; whatever is typed, the checkout goes on. */
const NameField = () => (
  <Field
    name="tradingViewUsername"
    label="TradingView Username (optional)"
    hint="We’ll unlock the indicator for it right after payment. You can add it later."
  >
    <UsernameInput />
  </Field>
)

/** Sold out, the way on is the waiting list; otherwise whoever has a subscription is led to it. */
function Refusal({ text, children }: { text: string; children: ReactNode }) {
  if (!text) return null
  const isSoldOut = text.startsWith('All seats')
  return (
    <Notice tone="warning">
      <p>{text}</p>
      {isSoldOut ? (
        <Link href="/products/rebound-sigma-pro" className={link}>
          Tell me when a seat is free
        </Link>
      ) : (
        children
      )}
    </Notice>
  )
}

function GuestEmail({ isPending, refusal, onContinue }: StepProps) {
  const [isEmpty, setIsEmpty] = useState(() => !guestEmail.read())
  const wantsPlace = useWantsPlace()
  const logIn = (
    <Link href="/auth" onClick={rememberReturnPath} className={link}>
      Log in
    </Link>
  )
  return (
    <>
      <Form
        schema={wantsPlace ? guestAndPlaceForm : guestForm}
        aria-label="Your email"
        className="flex flex-col gap-6"
        onInvalid={(_errors, { email }) => {
          if (!email)
            toast({
              title: 'Email required',
              description: 'Please enter your email to continue',
              destructive: true,
            })
        }}
        onSubmit={async ({ email, ...asked }: { email: string } & Asked) => {
          guestEmail.write(email)
          await onContinue(email, asked)
        }}
      >
        <Field
          name="email"
          label="Email"
          hint="An account will be created for you after payment, and your access details will be sent to this address."
        >
          <Input
            type="email"
            autoComplete="email"
            inputMode="email"
            required
            defaultValue={guestEmail.read() ?? ''}
            onChange={(event) => setIsEmpty(event.target.value.trim() === '')}
          />
        </Field>
        <NameField />
        {wantsPlace && <PlaceFields />}
        <Refusal text={refusal}>{logIn}</Refusal>
        <Button type="submit" size="lg" pending={isPending} pendingText="Loading..." disabled={isEmpty}>
          Continue to Payment
        </Button>
      </Form>
      <p className="text-sm text-muted">Already have an account? {logIn}</p>
    </>
  )
}

function Payment(props: { ready: Ready; billing: BillingType; onChange: (() => void) | null }) {
  const { ready, billing, onChange } = props
  const label = `Pay ${exactDollars(priceOf(reboundSigmaPro, billing))}`
  const [wantsToStart, setWantsToStart] = useState(false)
  const essentials = (
    <OrderEssentials
      billing={billing}
      tax={ready.tax}
      wantsToStart={wantsToStart}
      onStartChange={setWantsToStart}
    />
  )
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        {/* It replaces the button that had the focus. */}
        <h2 ref={focus} tabIndex={-1} className="text-xl">
          Payment
        </h2>
        <p className="flex min-w-0 flex-wrap gap-x-1.5 text-sm text-muted">
          <span className="break-all">{ready.email}</span>
          {onChange && (
            <button type="button" onClick={onChange} className={`cursor-pointer ${link}`}>
              Change
            </button>
          )}
        </p>
      </div>
      <Suspense fallback={<CardFormSkeleton label={label}>{essentials}</CardFormSkeleton>}>
        <CardForm
          clientSecret={ready.clientSecret}
          email={ready.email}
          label={label}
          onSubmit={async (stripe, elements) => {
            // What was agreed to is on record before any money moves.
            const refused = await agree(ready.clientSecret, wantsToStart)
            if (refused) return refused
            const { error } = await stripe.confirmPayment({
              elements,
              confirmParams: { return_url: new URL('/checkout/success', location.origin).href },
            })
            // The field says so itself.
            if (error.type === 'validation_error') return undefined
            const reason = error.message ?? 'Please try again.'
            toast({ title: 'Payment Failed', description: reason, destructive: true })
            return error.type === 'card_error' ? `${reason} ${declined}` : reason
          }}
        >
          {essentials}
        </CardForm>
      </Suspense>
      <p className="text-sm text-muted">
        By paying you agree to the{' '}
        <a href="/legal/terms" target="_blank" rel="noreferrer" className="underline underline-offset-2">
          Terms of Service
        </a>
        .
      </p>
    </Card>
  )
}

/** Returns why it couldn't be recorded, or nothing. */
async function agree(clientSecret: string, wantsToStart: boolean) {
  const [paymentIntentId = ''] = clientSecret.split('_secret_')
  try {
    await call(checkout.agree, {
      paymentIntentId,
      startNow: wantsToStart,
      consentVersion: startNow.version,
      termsVersion,
    })
    return undefined
  } catch (error) {
    return messageOf(error) ?? 'Please try again.'
  }
}

const declined = 'You weren’t charged. Check the details, try another card, or ask your bank.'

const focus = (heading: HTMLElement | null) => heading?.focus()
