import { useState } from 'react'
import { loginLinkRequested } from '#contract/forms.ts'
import { logins } from '#contract/identity/logins.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { AuthCard, belowRefusal, SentNote, textLink } from './auth-card.tsx'
import { returnPath, useRememberedEmail } from './return-path.ts'

/** Page to open after the login, unless it is the dashboard anyway. */
function asked() {
  const path = returnPath()
  return path === '/dashboard' ? {} : { returnPath: path }
}

export default function LoginLinkPage() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const remembered = useRememberedEmail()
  return (
    <AuthCard
      title="Log in by email"
      description="No password needed. Enter your email and we’ll send you a link that logs you in."
    >
      {sentTo === null ? (
        <CallForm
          call={logins.requestLink}
          action={logins.requestLink.path}
          inputOf={({ email }) => ({ email, ...asked() })}
          label="Request a login link"
          options={{
            failed: { title: 'Error', description: 'Failed to send login link' },
            onSuccess: (_output, { email }) => setSentTo(email),
          }}
          button={{ pendingText: 'Sending...', children: 'Send Login Link' }}
          renderButton={belowRefusal}
        >
          <Field name="email" label="Email">
            <Input
              key={remembered}
              defaultValue={remembered}
              type="email"
              autoComplete="username"
              required
              maxLength={254}
              placeholder="you@example.com"
            />
          </Field>
        </CallForm>
      ) : (
        <SentNote text={loginLinkRequested} email={sentTo} minutes={15} again={() => setSentTo(null)} />
      )}
      <Link href="/auth" className={`${textLink} self-center text-sm`}>
        Back to Login
      </Link>
    </AuthCard>
  )
}
