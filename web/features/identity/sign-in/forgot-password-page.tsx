import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { resetRequested } from '#contract/forms.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { checked } from '#web/api/checked.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { AuthCard, Refusal, textLink, useMustWait } from './auth-card.tsx'

const form = checked(accounts.requestPasswordReset.input)

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <AuthCard
      title="Forgot password"
      description="Enter your email and we’ll send you a link to choose a new password."
    >
      {sentTo === null ? (
        <RequestForm onSent={setSentTo} />
      ) : (
        <SentNote email={sentTo} again={() => setSentTo(null)} />
      )}
      <Link href="/auth" className={`${textLink} self-center text-sm`}>
        Back to Login
      </Link>
    </AuthCard>
  )
}

function RequestForm({ onSent }: { onSent: (email: string) => void }) {
  const request = useCall(accounts.requestPasswordReset, {
    failed: { title: 'Error', description: 'Failed to send reset link' },
    onSuccess: (_output, { email }) => onSent(email),
  })
  const mustWait = useMustWait(request.error)
  return (
    <Form
      schema={form}
      action={accounts.requestPasswordReset.path}
      aria-label="Request a reset link"
      className="flex flex-col gap-5"
      onSubmit={(typed) => request.mutateAsync(typed)}
    >
      <Field name="email" label="Email">
        <Input
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          placeholder="you@example.com"
          onChange={() => request.reset()}
        />
      </Field>
      <Refusal error={request.error} />
      <SubmitButton disabled={mustWait} pendingText="Sending...">
        Send Reset Link
      </SubmitButton>
    </Form>
  )
}

function SentNote({ email, again }: { email: string; again: () => void }) {
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <output className="flex flex-col items-center gap-3">
        <span className="grid size-12 place-items-center rounded-full bg-accent-soft text-accent-strong">
          <MailCheck aria-hidden="true" />
        </span>
        <p className="font-medium">{resetRequested}</p>
        <p className="text-muted">
          Please check the inbox of <span className="font-medium wrap-anywhere text-ink">{email}</span> and
          your spam folder. The link works for 60 minutes.
        </p>
      </output>
      <Button variant="secondary" size="sm" onClick={again}>
        Try another email
      </Button>
    </div>
  )
}
