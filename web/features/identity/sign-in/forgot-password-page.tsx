import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { resetRequested } from '#contract/forms.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { AuthCard, belowRefusal, textLink } from './auth-card.tsx'

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
          renderButton={belowRefusal}
        >
          <Field name="email" label="Email">
            <Input type="email" autoComplete="username" required maxLength={254} placeholder="you@example.com" />
          </Field>
        </CallForm>
      ) : (
        <SentNote email={sentTo} again={() => setSentTo(null)} />
      )}
      <Link href="/auth" className={`${textLink} self-center text-sm`}>
        Back to Login
      </Link>
    </AuthCard>
  )
}

function SentNote({ email, again }: { email: string; again: () => void }) {
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <output className="flex flex-col items-center gap-3">
        <span className="grid size-12 place-items-center rounded-full bg-line/60 text-ink">
          <MailCheck aria-hidden="true" />
        </span>
        <p className="font-medium">{resetRequested}</p>
        <p className="text-muted">
          Please check the inbox of <span className="font-medium wrap-anywhere text-ink">{email}</span> and your spam
          folder. The link works for 60 minutes.
        </p>
      </output>
      <Button variant="secondary" size="sm" onClick={again}>
        Try another email
      </Button>
    </div>
  )
}
