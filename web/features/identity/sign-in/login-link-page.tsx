import { useState } from 'react'
import { loginLinkRequested } from '#contract/forms.ts'
import { logins } from '#contract/identity/logins.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { AuthCard, RememberedEmailField, renderButtonWithRefusal, SentNote, textLinkClasses } from './auth-card.tsx'
import { returnPath } from './return-path.ts'

/** Omits the dashboard, because the server's link leads there by default. */
function returnPathInput() {
  const path = returnPath()
  return path === '/dashboard' ? {} : { returnPath: path }
}

export default function LoginLinkPage() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <AuthCard
      title="Log in by email"
      description="No password needed. Enter your email and we’ll send you a link that logs you in."
    >
      {sentTo === null ? (
        <CallForm
          call={logins.requestLink}
          action={logins.requestLink.path}
          inputOf={({ email }) => ({ email, ...returnPathInput() })}
          label="Request a login link"
          options={{
            failed: { title: 'Error', description: 'Failed to send login link' },
            onSuccess: (_output, { email }) => setSentTo(email),
          }}
          button={{ pendingText: 'Sending...', children: 'Send Login Link' }}
          renderButton={renderButtonWithRefusal}
        >
          <RememberedEmailField />
        </CallForm>
      ) : (
        <SentNote text={loginLinkRequested} email={sentTo} minutes={15} onTryAgain={() => setSentTo(null)} />
      )}
      <Link href="/auth" className={`${textLinkClasses} self-center text-sm`}>
        Back to Login
      </Link>
    </AuthCard>
  )
}
