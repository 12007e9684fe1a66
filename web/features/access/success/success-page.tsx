import { CircleCheck } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { exactDollars } from '#contract/money.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call, isDone } from '#web/api/client.ts'
import { useStartSession } from '#web/api/session.ts'
import { toastError } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { AccessRequestForm } from '#web/features/access/access-form/access-request-form.tsx'
import { AccessSentence, StateBadge, useAccess } from '#web/features/access/access-form/access-state.tsx'
import { untilDone, wait } from '#web/features/selling/checkout/until-done.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'

const GuestPasskey = lazy(() => import('#web/features/identity/account/guest-passkey.tsx'))

type State =
  | { step: 'processing'; note: string }
  | { step: 'login'; reason: string }
  | { step: 'failed'; error: unknown }
  | { step: 'done'; paymentIntentId: string }

const failed = { title: 'Processing failed', description: 'Something went wrong' }

/** Begun once for each arrival, however often the page is rendered. */
let processing: { paymentIntentId: string; outcome: Promise<State> } | undefined

export default function SuccessPage() {
  const [state, setState] = useState<State>({ step: 'processing', note: '' })
  const startSession = useStartSession()
  const { navigate } = useNavigation()

  const tell = (note: string) => setState({ step: 'processing', note })
  const arrive = useEffectEvent(async () => {
    const paymentIntentId = takePaymentIntent()
    if (!paymentIntentId) {
      toast({ title: 'Invalid request', description: 'No payment information found.', destructive: true })
      navigate('/', { replace: true })
      return undefined
    }
    if (processing?.paymentIntentId !== paymentIntentId)
      processing = { paymentIntentId, outcome: process(paymentIntentId, startSession, tell) }
    try {
      const outcome = await processing.outcome
      if (outcome.step === 'failed') {
        processing = undefined
        toastError(failed, outcome.error)
      }
      return outcome
    } catch (error) {
      processing = undefined
      toastError(failed, error)
      navigate('/dashboard', { replace: true })
      return undefined
    }
  })
  useEffect(() => {
    void arrive().then((outcome) => outcome && setState(outcome))
  }, [])

  if (state.step === 'processing')
    return (
      <>
        <Loading text="Processing your purchase..." />
        <p role="status" className="mx-auto max-w-prose px-5 pb-20 text-center text-muted">
          {state.note}
        </p>
      </>
    )
  if (state.step === 'failed') return <NotLoggedIn />
  if (state.step === 'login') return <PleaseLogIn reason={state.reason} />
  return <Thanks paymentIntentId={state.paymentIntentId} />
}

/** The address carries the payment: it is taken out immediately, and kept with this place in the history for a reload. */
function takePaymentIntent(): string | null {
  const paymentIntentId = new URLSearchParams(location.search).get('payment_intent')
  if (location.search) history.replaceState({ paymentIntentId }, '', location.pathname)
  return history.state?.paymentIntentId ?? null
}

async function process(
  paymentIntentId: string,
  startSession: () => Promise<void>,
  tell: (note: string) => void,
): Promise<State> {
  if (!(await call(accounts.user, {}))) {
    try {
      await untilDone(() => isDone(checkout.guestPurchaseLogin, { paymentIntentId }), tell)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'login-required')) return { step: 'failed', error }
      return { step: 'login', reason: error.serverMessage ?? 'Please log in to continue.' }
    }
    await startSession()
    await wait(500)
  }
  await untilDone(() => isDone(checkout.confirm, { paymentIntentId }), tell)
  toast({ title: 'Payment successful!' })
  return { step: 'done', paymentIntentId }
}

/** The way on is the dashboard, whose own toast for logged-out visitors would take the place of ours immediately. */
function NotLoggedIn() {
  const { navigate } = useNavigation()
  useEffect(() => {
    const timer = setTimeout(() => navigate('/dashboard', { replace: true }), 5000)
    return () => clearTimeout(timer)
  }, [navigate])
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">We could not log you in</h1>
      <p className="max-w-2xl text-lg text-muted">
        If your payment went through, your receipt is on its way by email. Please do not pay again.
      </p>
      <ButtonLink href="/dashboard">Go to your dashboard</ButtonLink>
    </Container>
  )
}

function PleaseLogIn({ reason }: { reason: string }) {
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">Please log in</h1>
      <p role="alert" className="max-w-2xl text-lg text-muted">
        {reason}
      </p>
      <ButtonLink href="/auth">Log In</ButtonLink>
    </Container>
  )
}

/** What was bought, what comes next, and how to get back in. */
function Bought({ paymentIntentId }: { paymentIntentId: string }) {
  const { data } = useData(purchases.list, {})
  const { data: profile } = useData(accounts.profile, {})
  const purchase = data?.find((each) => each.paymentIntentId === paymentIntentId)
  if (!purchase || !profile) return <Skeleton className="mt-2 h-56" />
  const { product, billingType, amount, lastPaidAmount, nextAmount, currentPeriodEnd } = purchase
  const rows: [string, ReactNode][] = [
    ['Plan', `${product.name}, ${billingType}`],
    ['Paid today', exactDollars(lastPaidAmount ?? amount)],
    ...(currentPeriodEnd
      ? [
          ['Next charge', <NextCharge key="next" amount={nextAmount ?? amount} at={currentPeriodEnd} />] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ['Receipt sent to', profile.email],
  ]
  return (
    <>
      <dl className="mt-2 divide-y divide-line border-y border-line">
        {rows.map(([name, value]) => (
          <div key={name} className="flex flex-wrap justify-between gap-x-6 py-2.5">
            <dt className="text-muted">{name}</dt>
            <dd className="font-medium break-all">{value}</dd>
          </div>
        ))}
      </dl>
      {!profile.hasPassword && (
        <>
          <p className="text-muted">
            We’ve created your account and emailed you a link to set a password. You’re logged in on this
            device until you log out.
          </p>
          <Suspense fallback={null}>
            <GuestPasskey />
          </Suspense>
        </>
      )}
    </>
  )
}

const NextCharge = ({ amount, at }: { amount: number; at: string }) => (
  <>
    {exactDollars(amount)} on <Time value={at} />
  </>
)

function Thanks({ paymentIntentId }: { paymentIntentId: string }) {
  return (
    <div className="hero">
      <Container className="grid gap-x-16 gap-y-8 py-14 sm:py-20 lg:grid-cols-[2fr_3fr]">
        <div className="flex flex-col gap-4">
          <CircleCheck aria-hidden="true" className="size-12 text-accent" />
          <h1 className="text-3xl">Payment Successful!</h1>
          <p className="text-lg text-muted">Thank you. Your receipt is on its way.</p>
          <Bought paymentIntentId={paymentIntentId} />
        </div>
        <Card className="flex flex-col gap-6 sm:p-8">
          <h2 className="text-xl">TradingView Access Request</h2>
          <AskForAccess paymentIntentId={paymentIntentId} />
        </Card>
      </Container>
    </div>
  )
}

/** How the access stands at this moment, and the form, which knows the name that was given before. */
function AskForAccess({ paymentIntentId }: { paymentIntentId: string }) {
  const { navigate } = useNavigation()
  const { data: bought } = useData(purchases.list, {})
  const { data, isError } = useAccess()
  if (!data && !isError) return <Skeleton className="h-96" />
  const purchase = bought?.find((each) => each.paymentIntentId === paymentIntentId)
  const mine = data?.find(({ purchaseId }) => purchaseId === purchase?.id) ?? data?.[0]
  const leaveFor = (path: Href) => {
    processing = undefined
    navigate(path, { replace: true })
  }
  return (
    <>
      {mine && (
        <div role="status" className="flex flex-col gap-2 rounded-md bg-accent-soft px-4 py-3">
          {mine.username && (
            <p className="flex flex-wrap items-center gap-3 font-medium break-words">
              {mine.username} <StateBadge mine={mine} />
            </p>
          )}
          <p>
            <AccessSentence mine={mine} purchase={purchase} />
          </p>
        </div>
      )}
      <AccessRequestForm
        of={{ paymentIntentId }}
        username={mine?.username ?? null}
        leave={{ label: 'Skip for Now', onClick: () => leaveFor('/dashboard') }}
        onSubmitted={async () => {
          await wait(2000)
          leaveFor('/welcome')
        }}
      />
    </>
  )
}
