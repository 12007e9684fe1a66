import { useEffect, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import { newPasswordForm } from '#contract/forms.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useData } from '#web/api/client.ts'
import { useForgetSession } from '#web/api/session.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { useHydrated } from '#web/ui/store.ts'
import { toast } from '#web/ui/toast.tsx'
import { AuthCard, renderButtonWithRefusal, textLinkClasses } from './auth-card.tsx'
import { rememberEmail, returnToPayment } from './return-path.ts'

const readToken = (search: string) => new URLSearchParams(search).get('token') ?? ''

export default function ResetPasswordPage() {
  const { navigate, search } = useNavigation()
  const token = readToken(search)
  useEffect(() => {
    // From `location`, because `search` is still empty during hydration.
    if (readToken(location.search)) return undefined
    toast({ title: 'Invalid reset link', destructive: true })
    const timer = setTimeout(() => navigate('/auth'), 2000)
    return () => clearTimeout(timer)
  }, [navigate])
  // `confirm` if the link also confirms the address; another value if the account has no password yet.
  const firstPassword = new URLSearchParams(search).get('first')
  const [wasReset, setWasReset] = useState(false)
  const link = useData(accounts.checkResetLink, { token }, { enabled: token !== '' && !wasReset })
  if (!wasReset && link.error instanceof ApiError && link.error.status === 400)
    return (
      <AuthCard
        title="This link has expired"
        description="A link works once, and only for a while. A new one is a minute away."
      >
        <ButtonLink href="/forgot-password">Request a new link</ButtonLink>
      </AuthCard>
    )
  return (
    <AuthCard
      title={firstPassword ? 'Choose a password' : 'Reset password'}
      description={descriptionFor(firstPassword)}
    >
      <ResetForm
        token={token}
        email={link.data?.email}
        isFirst={firstPassword !== null}
        wasReset={wasReset}
        onReset={() => setWasReset(true)}
      />
      <Link href="/forgot-password" className={`${textLinkClasses} self-center text-sm`}>
        Request a new link
      </Link>
    </AuthCard>
  )
}

function descriptionFor(firstPassword: string | null) {
  if (firstPassword === 'confirm')
    return 'You aren’t logged in here. A new password confirms the address, and ends every other way into this account.'
  if (firstPassword) return 'With it, you can log in any time to see your subscription and invoices.'
  return 'Choose a new password. Every device will be logged out.'
}

function ResetForm(props: {
  token: string
  email: string | undefined
  isFirst: boolean
  wasReset: boolean
  onReset: () => void
}) {
  const { token, email, isFirst, wasReset, onReset } = props
  const { navigate } = useNavigation()
  const forgetSession = useForgetSession()
  // Enabled before hydration, because a plain form post has the token in its address.
  const hydrated = useHydrated()
  const submitText = isFirst ? 'Set password' : 'Reset Password'
  return (
    <CallForm
      call={accounts.resetPassword}
      schema={newPasswordForm}
      inputOf={({ newPassword }) => ({ token, newPassword })}
      label="Reset password"
      onInvalid={toastInvalid}
      options={{
        succeeded: isFirst ? 'Password set' : 'Password reset successful.',
        failed: { title: 'Reset failed', description: 'Failed to reset password. The link may have expired.' },
        onSuccess: async () => {
          onReset()
          // Set if someone bought with this account's address; the login continues to that purchase.
          const paymentIntentId = new URLSearchParams(location.search).get('payment_intent')
          if (paymentIntentId) returnToPayment(paymentIntentId)
          if (email) rememberEmail(email)
          await forgetSession()
          setTimeout(() => navigate('/auth'), 2000)
        },
      }}
      button={{
        disabled: (hydrated && !token) || wasReset,
        pendingText: isFirst ? 'Saving...' : 'Resetting...',
        children: wasReset ? 'Password set' : submitText,
      }}
      renderButton={renderButtonWithRefusal}
    >
      <Field name="newPassword" label="New password" hint="Minimum 6 characters">
        <PasswordInput what="new password" autoComplete="new-password" required minLength={6} maxLength={128} />
      </Field>
      <Field name="confirmPassword" label="Confirm password">
        <PasswordInput what="confirmed password" autoComplete="new-password" required maxLength={128} />
      </Field>
    </CallForm>
  )
}

/** docs/product.md requires these toasts in addition to the field errors. */
function toastInvalid(errors: Record<string, string>) {
  if (errors.confirmPassword)
    toast({
      title: "Passwords don't match",
      description: 'Please make sure both passwords are the same',
      destructive: true,
    })
  else toast({ title: 'Password too short', description: errors.newPassword, destructive: true })
}
