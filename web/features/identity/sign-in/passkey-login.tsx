import { KeyRound } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import { call } from '#web/api/client.ts'
import { askForPasskey, passkeyProblem, supportsPasskeys } from '#web/api/passkeys.ts'
import { messageOf, toastError } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { toast } from '#web/ui/toast.tsx'

/** Offers passkeys as suggestions in the email field, and by a button; nothing in browsers without them. */
export default function PasskeyLogin({ onLoggedIn }: { onLoggedIn: (user: User) => unknown }) {
  /** True if it should be offered once more. */
  const offer = useEffectEvent(async (): Promise<boolean> => {
    if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return false
    // Called off by the button or by leaving the page, or out of reach: no one has asked for anything yet.
    const response = await askForPasskey(call, { autofill: true }).catch(() => undefined)
    if (!response) return false
    try {
      await logInWith(response, onLoggedIn)
      return false
    } catch (error) {
      toastError('Login failed', error)
      // The page was open for longer than a challenge lasts: the next suggestion has a new one.
      return error instanceof ApiError && error.status === 400
    }
  })
  useEffect(() => {
    void offer().then((isStale) => isStale && offer())
  }, [])
  return supportsPasskeys() && <PasskeyButton onLoggedIn={onLoggedIn} />
}

type OnLoggedIn = (user: User) => unknown

/** `response` is what the passkey has signed. */
async function logInWith(response: Record<string, unknown>, onLoggedIn: OnLoggedIn) {
  const user = await call(logins.withPasskey, { response })
  toast({ title: 'Welcome back!' })
  await onLoggedIn(user)
}

export function PasskeyButton({ onLoggedIn }: { onLoggedIn: OnLoggedIn }) {
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')

  async function logIn() {
    setPending(true)
    setProblem('')
    try {
      await logInWith(await askForPasskey(call), onLoggedIn)
    } catch (error) {
      setProblem(passkeyProblem(error) ?? messageOf(error) ?? 'Please try again.')
    } finally {
      setPending(false)
    }
  }

  return (
    <div className="flex flex-col gap-3">
      <Button variant="secondary" pending={pending} onClick={() => void logIn()}>
        {!pending && <KeyRound className="size-4" aria-hidden="true" />}
        Log in with a passkey
      </Button>
      {problem && (
        <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-sm font-medium text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}
