import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { logins } from '#contract/identity/logins.ts'
import type { User } from '#contract/identity/session.ts'
import { call } from '#web/api/client.ts'
import { askForPasskey, passkeyProblem } from '#web/api/passkeys.ts'
import { messageOf } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { toast } from '#web/ui/toast.tsx'

type OnLoggedIn = (user: User) => unknown

/** `response` is what the passkey has signed. */
export async function logInWith(response: Record<string, unknown>, onLoggedIn: OnLoggedIn) {
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
