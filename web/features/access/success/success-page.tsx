import { useEffect, useEffectEvent, useState } from 'react'
import { access } from '#contract/access/access.ts'
import { ApiError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout, type PaidOrder } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call, callAndCheckDone, useRefresh } from '#web/api/client.ts'
import { forgetCheckoutEmail, useStartSession } from '#web/api/session.ts'
import { messageOf, toastError } from '#web/api/use-call.ts'
import { untilDone, wait } from '#web/features/selling/checkout/until-done.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { toast } from '#web/ui/toast.tsx'
import { OneStepLeft } from './one-step-left.tsx'
import { Thanks } from './thanks.tsx'

type State =
  | { step: 'processing'; note: string }
  | { step: 'login'; paymentIntentId: string; order: PaidOrder }
  | { step: 'failed'; error: unknown }
  | { step: 'done'; paymentIntentId: string }

const failureToast = { title: 'Processing failed', description: 'Something went wrong' }

/** Kept outside the component, so that each payment is processed once, however often the page is mounted. */
let processing: { paymentIntentId: string; outcome: Promise<State> } | undefined

export default function SuccessPage() {
  const [state, setState] = useState<State>({ step: 'processing', note: '' })
  const startSession = useStartSession()
  // A page of this document may have loaded them before the payment.
  const refreshPurchases = useRefresh([purchases.list, access.mine])
  const { navigate } = useNavigation()

  const processPayment = useEffectEvent(async (): Promise<State | undefined> => {
    const { paymentIntentId, isReload } = takePaymentIntent()
    if (!paymentIntentId) {
      toast({ title: 'Invalid request', description: 'No payment information found.', destructive: true })
      navigate('/', { replace: true })
      return undefined
    }
    if (processing?.paymentIntentId !== paymentIntentId)
      processing = {
        paymentIntentId,
        outcome: logInAndConfirm(paymentIntentId, startSession, (note) => setState({ step: 'processing', note })),
      }
    try {
      const outcome = await processing.outcome
      if ((outcome.step === 'done' || outcome.step === 'login') && !isReload) toast({ title: 'Payment successful!' })
      if (outcome.step !== 'failed') forgetCheckoutEmail()
      if (outcome.step === 'done') await refreshPurchases()
      else processing = undefined
      if (outcome.step === 'failed') toastError(failureToast, outcome.error)
      return outcome
    } catch (error) {
      processing = undefined
      toastError(failureToast, error)
      navigate('/dashboard', { replace: true })
      return undefined
    }
  })
  useEffect(() => {
    void processPayment().then((outcome) => outcome && setState(outcome))
  }, [])

  switch (state.step) {
    case 'processing':
      return (
        <>
          <Loading text="Processing your purchase..." />
          <p role="status" className="mx-auto max-w-prose px-5 pb-20 text-center text-muted">
            {state.note}
          </p>
        </>
      )
    case 'failed':
      return <NotLoggedIn error={state.error} />
    case 'login':
      return <OneStepLeft {...state} />
    case 'done':
      return (
        <Thanks
          paymentIntentId={state.paymentIntentId}
          onLeave={(path) => {
            processing = undefined
            navigate(path, { replace: true })
          }}
        />
      )
  }
}

/** Moves the payment intent from the address to the history entry, where a reload can read it. */
function takePaymentIntent(): { paymentIntentId: string | null; isReload: boolean } {
  const isReload = !location.search
  const paymentIntentId = new URLSearchParams(location.search).get('payment_intent')
  if (location.search) history.replaceState({ paymentIntentId }, '', location.pathname)
  return { paymentIntentId: history.state?.paymentIntentId ?? null, isReload }
}

async function logInAndConfirm(
  paymentIntentId: string,
  startSession: () => Promise<void>,
  showNote: (note: string) => void,
): Promise<State> {
  if (!(await call(accounts.user, {}))) {
    try {
      await untilDone(() => callAndCheckDone(checkout.guestPurchaseLogin, { paymentIntentId }), showNote)
    } catch (error) {
      return paidWithoutLogin(paymentIntentId, error)
    }
    await startSession()
    // docs/product.md: 500 ms after the guest's login.
    await wait(500)
  }
  await untilDone(() => callAndCheckDone(checkout.confirm, { paymentIntentId }), showNote)
  return { step: 'done', paymentIntentId }
}

async function paidWithoutLogin(paymentIntentId: string, loginError: unknown): Promise<State> {
  const isExistingAccount = loginError instanceof ApiError && loginError.code === 'login-required'
  if (!isExistingAccount) return { step: 'failed', error: loginError }
  try {
    const order = await call(checkout.paid, { paymentIntentId })
    return { step: 'login', paymentIntentId, order }
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.status === 404
    return { step: 'failed', error: isUnknown ? loginError : error }
  }
}

/** Opens the dashboard after 5 s, because its toast would replace this page's toast. */
function NotLoggedIn({ error }: { error: unknown }) {
  const { navigate } = useNavigation()
  useEffect(() => {
    const timer = setTimeout(() => navigate('/dashboard', { replace: true }), 5000)
    return () => clearTimeout(timer)
  }, [navigate])
  const isRefunded = error instanceof ApiError && (error.code === 'paid-twice' || error.code === 'paid-with-spent-code')
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">{isRefunded ? 'Your payment goes back' : 'We could not log you in'}</h1>
      <p className="max-w-2xl text-lg text-muted">
        {isRefunded
          ? messageOf(error)
          : 'If your payment went through, your receipt is on its way by email. Please do not pay again.'}
      </p>
      <ButtonLink href="/dashboard">Go to your dashboard</ButtonLink>
    </Container>
  )
}
