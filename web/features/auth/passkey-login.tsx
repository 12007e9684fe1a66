import { useEffect, useEffectEvent } from 'react'
import type { User } from '#contract/accounts.ts'
import { supportsPasskeys, wasCalledOff } from '#web/api/passkeys.ts'
import { messageOf, toastError } from '#web/api/use-call.ts'
import { logInWithPasskey, PasskeyButton } from './passkey-button.tsx'

/** Offers passkeys as suggestions in the email field, and by a button; nothing in browsers without them. */
export default function PasskeyLogin({ onLoggedIn }: { onLoggedIn: (user: User) => unknown }) {
  const offer = useEffectEvent(async () => {
    if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return
    await logInWithPasskey(onLoggedIn, { autofill: true }).catch((error: unknown) => {
      // The button, or leaving the page, calls it off.
      if (!wasCalledOff(error) && messageOf(error)) toastError('Login failed', error)
    })
  })
  useEffect(() => {
    void offer()
  }, [])
  return supportsPasskeys() && <PasskeyButton onLoggedIn={onLoggedIn} />
}
