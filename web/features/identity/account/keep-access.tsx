import { type ReactNode, useState } from 'react'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { useData } from '#web/api/client.ts'
import { supportsPasskeys } from '#web/api/passkeys.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { useConfirmation } from './use-confirmation.ts'
import { useMakePasskey } from './use-make-passkey.ts'

/** Ways to log in next time, for a guest whose account was created by the payment. */
export default function KeepAccess({ email }: { email: string }) {
  return (
    <section aria-labelledby="keep" className="flex flex-col gap-4 border-t border-line pt-6">
      <h2 id="keep" className="text-xl">
        How to log in next time
      </h2>
      <p className="text-muted">You’re logged in on this device until you log out. On another one, or later:</p>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <PasswordOption email={email} />
        <PasskeyOption />
      </div>
    </section>
  )
}

function LoginOption({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <h3 className="text-base">{title}</h3>
      <p role="status" className="grow text-sm wrap-anywhere text-muted">
        {text}
      </p>
      {children}
    </div>
  )
}

/** Lifetime of the link in the receipt of the payment that made the account. */
const linkLifetimeMs = 7 * dayMs

function passwordText(email: string, { hasFirstLink, isSent }: { hasFirstLink: boolean; isSent: boolean }) {
  if (hasFirstLink)
    return `The receipt we’ve emailed to ${email} has a link to set one.${isSent ? ' And another one is on its way.' : ''}`
  return isSent ? `A link to set one is on its way to ${email}.` : `We can email a link to set one to ${email}.`
}

function PasswordOption({ email }: { email: string }) {
  const { user } = useUser()
  const [now] = useState(Date.now)
  const hasFirstLink = user !== null && now - Date.parse(user.createdAt) < linkLifetimeMs
  const send = useCall(accounts.requestPasswordReset, {
    failed: { title: 'Error', description: 'Failed to send reset link' },
  })
  return (
    <LoginOption title="A password" text={passwordText(email, { hasFirstLink, isSent: send.isSuccess })}>
      <Button variant="secondary" size="sm" pending={send.isPending} onClick={() => send.mutate({ email })}>
        {hasFirstLink || send.isSuccess ? 'Send it again' : 'Email me a link'}
      </Button>
    </LoginOption>
  )
}

function PasskeyOption() {
  const { user } = useUser()
  const factorData = useData(factors.show, {})
  const confirmation = useConfirmation()
  const [wasMade, setWasMade] = useState(false)
  const { makePasskey, isPending: isMaking } = useMakePasskey(() => setWasMade(true))
  if (!supportsPasskeys() || !factorData.data) return null
  if (wasMade || factorData.data.passkeys.length > 0)
    return (
      <LoginOption title="A passkey" text="Your passkey is ready. Next time, log in with it.">
        {null}
      </LoginOption>
    )
  if (user?.isProven)
    return (
      <LoginOption title="A passkey" text="Your fingerprint, face, or screen lock.">
        <Button variant="secondary" size="sm" pending={isMaking} onClick={makePasskey}>
          Create a passkey
        </Button>
      </LoginOption>
    )
  const { isSent, isPending, errorMessage, send } = confirmation
  const text = isSent
    ? 'We’ve emailed you a link. Open it in this browser; it works for 7 days.'
    : 'Your fingerprint, face, or screen lock. Passkeys open your account, so confirm your email first.'
  return (
    <LoginOption title="A passkey" text={errorMessage || text}>
      <Button variant="secondary" size="sm" pending={isPending} onClick={send}>
        {isSent ? 'Send it again' : 'Confirm my email'}
      </Button>
    </LoginOption>
  )
}
