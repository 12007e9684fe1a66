import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import type { createCaller } from '#contract/call.ts'
import { deviceName } from '#contract/identity/device-name.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'

/** Browser side of passkeys, loaded only where a passkey is used. */

export const supportsPasskeys = browserSupportsWebAuthn

type Json = Record<string, unknown>
/** The page's caller. The step-up dialog has its own, which never opens a second dialog. */
type Call = ReturnType<typeof createCaller>['call']

let promptCount = 0

/** A new prompt cancels older ones; a suggestion in the email field (`autofill`) does not. */
export async function askForPasskey(call: Call, { autofill = false } = {}): Promise<Json> {
  const promptNumber = autofill ? promptCount : ++promptCount
  const optionsJSON = (await call(logins.passkeyOptions, {})) as never
  if (promptNumber !== promptCount) throw new DOMException('A newer prompt replaced this one', 'AbortError')
  return { ...(await startAuthentication({ optionsJSON, useBrowserAutofill: autofill })) }
}

export async function registerPasskey(call: Call) {
  const optionsJSON = (await call(factors.beginPasskey, {})) as never
  const response = { ...(await startRegistration({ optionsJSON })) }
  return call(factors.addPasskey, { name: deviceName(navigator.userAgent), response })
}

/** True if the user closed the browser's dialog or let it time out; no error is shown. */
export const isPasskeyCanceled = (error: unknown) =>
  error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)

/** Message for the user; the library's messages are written for developers. */
export function passkeyProblem(error: unknown): string | undefined {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'This device already has a passkey for your account.'
  return isPasskeyCanceled(error) ? 'No passkey was used. Try again, or choose another way.' : undefined
}
