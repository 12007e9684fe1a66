import { useState } from 'react'
import { call } from '#web/api/client.ts'
import { isPasskeyCanceled, passkeyProblem, registerPasskey } from '#web/api/passkeys.ts'
import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'

export function useMakePasskey(onMade: (recoveryCodes: string[] | null) => unknown) {
  const [isPending, setIsPending] = useState(false)

  async function makePasskey() {
    setIsPending(true)
    try {
      const { recoveryCodes } = await registerPasskey(call)
      await onMade(recoveryCodes)
    } catch (error) {
      const problem = isPasskeyCanceled(error) ? 'Nothing has changed.' : passkeyProblem(error)
      if (problem) toast({ title: 'No passkey was made', description: problem, destructive: true })
      else toastError('Failed to create a passkey', error)
    } finally {
      setIsPending(false)
    }
  }

  return { makePasskey: () => void makePasskey(), isPending }
}
