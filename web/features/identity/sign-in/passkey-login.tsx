import { ApiError } from '#contract/call.ts'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import { call } from '#web/api/client.ts'
import { askForPasskey, passkeyProblem } from '#web/api/passkeys.ts'
import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'

export async function suggestPasskeys(onLoggedIn: OnLoggedIn) {
  // Suggests again after the passkey's challenge has expired, with a new one.
  if (await suggestOnce(onLoggedIn)) await suggestOnce(onLoggedIn)
}

/** Returns true if the challenge has expired. */
async function suggestOnce(onLoggedIn: OnLoggedIn): Promise<boolean> {
  if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return false
  // No error is shown, because the user asked for nothing: the button, navigation or a lost connection ended the prompt.
  const response = await askForPasskey(call, { autofill: true }).catch(() => undefined)
  if (!response) return false
  try {
    await logInWith(response, onLoggedIn)
    return false
  } catch (error) {
    toastError('Login failed', error)
    return error instanceof ApiError && error.status === 400
  }
}

type OnLoggedIn = (user: User) => unknown

/** `response` is the challenge signed by the passkey. */
async function logInWith(response: Record<string, unknown>, onLoggedIn: OnLoggedIn) {
  const user = await call(logins.withPasskey, { response })
  toast({ title: 'Welcome back!' })
  await onLoggedIn(user)
}

/** Returns an error message, or undefined after a login. */
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
