import { lazy, Suspense, useEffect, useState } from 'react'
import type { User } from '#contract/accounts.ts'
import { ApiError } from '#contract/call.ts'
import { checkout } from '#contract/checkout.ts'
import { email as emailField } from '#contract/fields.ts'
import { priceOf, reboundSigmaPro } from '#contract/price-list.ts'
import type { BillingType } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { rememberReturnPath } from '#web/features/auth/return-path.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field, Form } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { exactDollars } from '#web/ui/money.ts'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { toast } from '#web/ui/toast.tsx'
import { readOrder } from './address.ts'
import { OrderSummary } from './order-summary.tsx'
import { sessionNote } from './session-note.ts'

// Nothing from Stripe is loaded until there is something to pay.
const loadCardForm = () => import('./card-form.tsx')
const CardForm = lazy(loadCardForm)

export default function CheckoutPage() {
  const { user, isLoading } = useUser()
  return isLoading ? <Loading /> : <Order user={user} />
}

function Order({ user }: { user: User | null }) {
  const order = readOrder(useNavigation().search)
  const isUnknown = order === null
  const { navigate } = useNavigation()
  useEffect(() => {
    if (isUnknown) navigate('/products', { replace: true })
  }, [isUnknown, navigate])
  useReloadWhenBack()
  if (!order) return <Loading />
  return (
    <Container className="grid gap-8 py-10 sm:py-16 lg:grid-cols-[1fr_24rem] lg:items-start lg:gap-12">
      <div className="flex flex-col gap-8">
        <h1 className="text-3xl">Checkout</h1>
        <Steps key={order.billing} billing={order.billing} user={user} />
      </div>
      <OrderSummary billing={order.billing} />
    </Container>
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

type Ready = { clientSecret: string; email: string }

function Steps({ billing, user }: { billing: BillingType; user: User | null }) {
  const [ready, setReady] = useState<Ready | null>(null)
  const { navigate } = useNavigation()
  const begin = useCall(checkout.createSubscriptionIntent, {
    failed: { title: 'Error', description: 'Failed to initialize checkout' },
  })

  async function proceed(email: string | undefined) {
    void loadCardForm().catch(() => undefined)
    try {
      const { clientSecret, isPaid } = await begin.mutateAsync({
        productSlug: reboundSigmaPro.slug,
        billingType: billing,
        ...(user ? {} : { email }),
      })
      if (isPaid) {
        // Just paid, in another tab or before a reload: all that's left is to wait.
        const [paymentIntentId = ''] = clientSecret.split('_secret_')
        navigate(`/checkout/success?payment_intent=${paymentIntentId}`)
        return
      }
      setReady({ clientSecret, email: user?.email ?? email ?? '' })
    } catch {
      // A toast has already said so.
    }
  }

  if (ready) return <Payment ready={ready} billing={billing} onChange={user ? null : () => setReady(null)} />
  return user ? (
    <Card className="flex flex-col gap-5 sm:p-8">
      <p>
        You are logged in as <strong className="font-semibold break-all">{user.email}</strong>. The
        subscription will belong to this account.
      </p>
      <Button
        size="lg"
        pending={begin.isPending}
        pendingText="Loading..."
        onClick={() => void proceed(undefined)}
      >
        Continue to Payment
      </Button>
      {begin.error instanceof ApiError && begin.error.status === 409 && (
        <ButtonLink href="/dashboard" variant="secondary">
          Go to your dashboard
        </ButtonLink>
      )}
    </Card>
  ) : (
    <GuestEmail isPending={begin.isPending} onContinue={proceed} />
  )
}

const guestEmail = sessionNote('checkout-email')
const guestForm = z.object({ email: emailField(z) })

function GuestEmail(props: { isPending: boolean; onContinue: (email: string) => Promise<void> }) {
  const [isEmpty, setIsEmpty] = useState(() => !guestEmail.read())
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <Form
        schema={guestForm}
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
        onSubmit={async ({ email }) => {
          guestEmail.write(email)
          await props.onContinue(email)
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
        <Button type="submit" size="lg" pending={props.isPending} pendingText="Loading..." disabled={isEmpty}>
          Continue to Payment
        </Button>
      </Form>
      <p className="text-sm text-muted">
        Already have an account?{' '}
        <Link
          href="/auth"
          onClick={rememberReturnPath}
          className="font-medium text-accent-strong underline underline-offset-2"
        >
          Log in
        </Link>
      </p>
    </Card>
  )
}

function Payment(props: { ready: Ready; billing: BillingType; onChange: (() => void) | null }) {
  const { ready, billing, onChange } = props
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="text-xl">Payment</h2>
        <p className="flex min-w-0 gap-1.5 text-sm text-muted">
          <span className="truncate" title={ready.email}>
            {ready.email}
          </span>{' '}
          {onChange && (
            <button
              type="button"
              onClick={onChange}
              className="cursor-pointer font-medium text-accent-strong underline underline-offset-2"
            >
              Change
            </button>
          )}
        </p>
      </div>
      <Suspense fallback={<Loading text="Loading the payment form..." />}>
        <CardForm
          clientSecret={ready.clientSecret}
          email={ready.email}
          label={`Pay ${exactDollars(priceOf(reboundSigmaPro, billing))}`}
          onSubmit={async (stripe, elements) => {
            const { error } = await stripe.confirmPayment({
              elements,
              confirmParams: { return_url: new URL('/checkout/success', location.origin).href },
            })
            toast({
              title: 'Payment Failed',
              description: error.message ?? 'Please try again.',
              destructive: true,
            })
          }}
        />
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
