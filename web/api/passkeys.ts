import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import type { createCaller } from '#contract/call.ts'
import { deviceName } from '#contract/identity/device-name.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'

/** The browser's side of passkeys. Whatever imports this is loaded only where a passkey is used. */

export const supportsPasskeys = browserSupportsWebAuthn

type Json = Record<string, unknown>
/** The page's, or the one of the dialog that the page's caller opens. */
type Call = ReturnType<typeof createCaller>['call']

let asked = 0

/** Has the browser ask for a passkey, or suggest one in the email field. The latest counts, but never a suggestion over a question. */
export async function askForPasskey(call: Call, { autofill = false } = {}): Promise<Json> {
  const turn = autofill ? asked : ++asked
  const optionsJSON = (await call(logins.passkeyOptions, {})) as never
  if (turn !== asked) throw new DOMException('Asked otherwise', 'AbortError')
  return { ...(await startAuthentication({ optionsJSON, useBrowserAutofill: autofill })) }
}

export async function makePasskey(call: Call) {
  const optionsJSON = (await call(factors.beginPasskey, {})) as never
  const response = { ...(await startRegistration({ optionsJSON })) }
  return call(factors.addPasskey, { name: deviceName(navigator.userAgent), response })
}

/** They closed the browser's dialog, or let it time out: nothing to complain about. */
export const wasCalledOff = (error: unknown) =>
  error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)

/** The library's sentences are for developers; these are for people. */
export function passkeyProblem(error: unknown): string | undefined {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'This device already has a passkey for your account.'
  return wasCalledOff(error) ? 'No passkey was used. Try again, or choose another way.' : undefined
}
