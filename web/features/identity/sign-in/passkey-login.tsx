import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '#contract/call.ts'
import type { User } from '#contract/identity/session.ts'
import { call } from '#web/api/client.ts'
import { askForPasskey, supportsPasskeys } from '#web/api/passkeys.ts'
import { toastError } from '#web/api/use-call.ts'
import { logInWith, PasskeyButton } from './passkey-button.tsx'

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
