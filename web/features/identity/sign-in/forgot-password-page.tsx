import { useState } from 'react'
import { resetRequested } from '#contract/forms.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { AuthCard, RememberedEmailField, renderButtonWithRefusal, SentNote, textLinkClasses } from './auth-card.tsx'

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <AuthCard
      title="Forgot password"
      description="Enter your email and we’ll send you a link to choose a new password."
    >
      {sentTo === null ? (
        <CallForm
          call={accounts.requestPasswordReset}
          action={accounts.requestPasswordReset.path}
          label="Request a reset link"
          options={{
            failed: { title: 'Error', description: 'Failed to send reset link' },
            onSuccess: (_output, { email }) => setSentTo(email),
          }}
          button={{ pendingText: 'Sending...', children: 'Send Reset Link' }}
          renderButton={renderButtonWithRefusal}
        >
          <RememberedEmailField />
        </CallForm>
      ) : (
        <SentNote text={resetRequested} email={sentTo} minutes={60} onTryAgain={() => setSentTo(null)} />
      )}
      <Link href="/auth" className={`${textLinkClasses} self-center text-sm`}>
        Back to Login
      </Link>
    </AuthCard>
  )
}
