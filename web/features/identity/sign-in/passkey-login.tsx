import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '#contract/call.ts'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import { call } from '#web/api/client.ts'
import { askForPasskey, passkeyProblem } from '#web/api/passkeys.ts'
import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'

/** Offers passkeys as suggestions in the email field. */
export default function PasskeyLogin({ onLoggedIn }: { onLoggedIn: OnLoggedIn }) {
  /** True if the suggestion should be offered again. */
  const offer = useEffectEvent(async (): Promise<boolean> => {
    if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return false
    // Cancelled by the button, by navigation, or offline: the user asked for nothing, so no error is shown.
    const response = await askForPasskey(call, { autofill: true }).catch(() => undefined)
    if (!response) return false
    try {
      await logInWith(response, onLoggedIn)
      return false
    } catch (error) {
      toastError('Login failed', error)
      // The challenge expired while the page was open; the next suggestion has a new one.
      return error instanceof ApiError && error.status === 400
    }
  })
  useEffect(() => {
    void offer().then((isStale) => isStale && offer())
  }, [])
  return null
}

type OnLoggedIn = (user: User) => unknown

/** `response` is what the passkey has signed. */
async function logInWith(response: Record<string, unknown>, onLoggedIn: OnLoggedIn) {
  const user = await call(logins.withPasskey, { response })
  toast({ title: 'Welcome back!' })
  await onLoggedIn(user)
}

/** Prompts for a passkey; resolves to an error message, if any. */
export async function logInWithPasskey(onLoggedIn: OnLoggedIn): Promise<string | undefined> {
  try {
    await logInWith(await askForPasskey(call), onLoggedIn)
    return undefined
  } catch (error) {
    const problem = passkeyProblem(error)
    if (!problem) throw error
    return problem
  }
}
