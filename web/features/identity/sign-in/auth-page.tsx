import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import type { User } from '#contract/identity/session.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useStartSession, useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { useHydrated } from '#web/ui/store.ts'
import { Tabs } from '#web/ui/tabs.tsx'
import { AuthCard, PasskeyButton, Refusal, renderButtonWithRefusal, textLinkClasses } from './auth-card.tsx'
import { loginReason, rememberEmail, returnPath, returnTo, returnToPayment, useRememberedEmail } from './return-path.ts'
import SecondStep from './second-step.tsx'
import { useLeaveOnceLoggedIn } from './use-leave-once-logged-in.ts'

export default function AuthPage() {
  const { user } = useUser()
  const { prefetch } = useNavigation()
  const [email, setEmail] = useState('')
  const rememberedEmail = useRememberedEmail()
  const isTyping = email !== ''
  const hydrated = useHydrated()
  // Emails about a purchase link here. After the login, the buyer confirms the username on the purchase's page.
  useEffect(() => {
    const paymentIntentId = new URLSearchParams(location.search).get('payment_intent')
    if (paymentIntentId) returnToPayment(paymentIntentId)
  }, [])
  // The checkout's link stores the return path only after hydration; an earlier click leaves the referrer.
  useEffect(() => {
    if (!hydrated && document.referrer.startsWith(`${location.origin}/checkout?`))
      returnTo(document.referrer.slice(location.origin.length))
  }, [hydrated])
  // Prefetched, because the next page is promised 50 ms after the login.
  useEffect(() => {
    if (isTyping) prefetch(returnPath())
  }, [isTyping, prefetch])
  useLeaveOnceLoggedIn(user !== null)

  const reason = hydrated ? loginReason() : ''
  return (
    <AuthCard title="Your account" description="Subscriptions, invoices, and access, all in one place.">
      {reason && <Notice tone="warning">{reason}</Notice>}
      <Tabs
        label="Log in or sign up"
        tabs={{
          Login: (
            <LoginForm
              email={email || rememberedEmail}
              onEmail={setEmail}
              shouldFocusPassword={rememberedEmail !== ''}
            />
          ),
          'Sign Up': <SignUpForm email={email || rememberedEmail} onEmail={setEmail} />,
        }}
      />
      {/* The tabs don't work without scripts. */}
      <noscript>
        <h2 className="mb-5 border-t border-line pt-6 text-xl">Sign Up</h2>
        <SignUpForm email={email} onEmail={setEmail} />
      </noscript>
    </AuthCard>
  )
}

type EmailProps = { email: string; onEmail: (email: string) => void }

/** Leaves the focus to a visitor who began to type before the scripts had loaded. */
function focus(input: HTMLInputElement | null) {
  if (!(document.activeElement instanceof HTMLInputElement)) input?.focus()
}

function LoginForm({ email, onEmail, shouldFocusPassword }: EmailProps & { shouldFocusPassword: boolean }) {
  const startSession = useStartSession()
  const login = useCall(accounts.login, {
    succeeded: 'Welcome back!',
    failed: { title: 'Login failed', description: 'Invalid email or password' },
    onSuccess: startSession,
  })
  const hydrated = useHydrated()
  const secondSteps = login.error instanceof ApiError ? login.error.secondSteps : undefined
  if (secondSteps) return <SecondStep ways={secondSteps} onLoggedIn={startSession} onBack={login.reset} />
  return (
    <Form
      schema={accounts.login.input}
      action={accounts.login.path}
      aria-label="Login"
      className="flex flex-col gap-5"
      onSubmit={(typed) => login.mutateAsync(typed)}
    >
      <EmailField email={email} onEmail={onEmail} autoComplete="username webauthn" />
      <Field name="password" label="Password">
        <PasswordInput
          autoComplete="current-password"
          required
          maxLength={128}
          ref={shouldFocusPassword ? focus : undefined}
        />
      </Field>
      <div className="-my-2 flex flex-wrap justify-between gap-x-4 text-sm">
        <Link href="/forgot-password" onClick={() => rememberEmail(email)} className={`${textLinkClasses} py-2`}>
          Forgot password?
        </Link>
        <Link href="/login-link" onClick={() => rememberEmail(email)} className={`${textLinkClasses} py-2`}>
          Email me a login link
        </Link>
      </div>
      <Refusal error={login.error} />
      <SubmitButton pendingText="Logging in...">Log In</SubmitButton>
      {/* Reserves the button's height, so that nothing moves. */}
      <div className="min-h-11">
        {hydrated && 'PublicKeyCredential' in window && (
          <>
            <PasskeyButton onLoggedIn={startSession} />
            <PasskeySuggestions onLoggedIn={startSession} />
          </>
        )}
      </div>
    </Form>
  )
}

/** Suggests passkeys in the email field. Loaded after the page, which works without it. */
function PasskeySuggestions({ onLoggedIn }: { onLoggedIn: (user: User) => unknown }) {
  const suggest = useEffectEvent(async () => {
    const { suggestPasskeys } = await import('./passkey-login.tsx')
    await suggestPasskeys(onLoggedIn)
  })
  useEffect(() => {
    suggest().catch(() => undefined)
  }, [])
  return null
}

function SignUpForm({ email, onEmail }: EmailProps) {
  const startSession = useStartSession()
  return (
    <CallForm
      call={accounts.register}
      action={accounts.register.path}
      label="Sign Up"
      options={{
        succeeded: 'Account created!',
        failed: { title: 'Registration failed', description: 'Could not create account' },
        onSuccess: startSession,
      }}
      button={{ pendingText: 'Creating account...', children: 'Create Account' }}
      renderButton={renderButtonWithRefusal}
    >
      <Field name="name" label="Name">
        <Input autoComplete="name" required maxLength={100} />
      </Field>
      <EmailField email={email} onEmail={onEmail} autoComplete="email" />
      <Field name="password" label="Password" hint="Minimum 8 characters">
        <PasswordInput autoComplete="new-password" required minLength={8} maxLength={128} />
      </Field>
    </CallForm>
  )
}

function EmailField({ email, onEmail, autoComplete }: EmailProps & { autoComplete: string }) {
  return (
    <Field name="email" label="Email">
      <Input
        type="email"
        autoComplete={autoComplete}
        required
        maxLength={254}
        placeholder="you@example.com"
        // `value` would clear text that was typed before hydration.
        defaultValue={email}
        onChange={(event) => onEmail(event.target.value)}
      />
    </Field>
  )
}
