import { useState } from 'react'
import { factors } from '#contract/factors.ts'
import { makePasskey, passkeyProblem, supportsPasskeys } from '#web/api/passkeys.ts'
import { toastError } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import { ShownCodes } from './shown-codes.tsx'

/** For someone who has just bought as a guest: one tap instead of a password. */
export default function GuestPasskey() {
  const show = useData(factors.show, {})
  const [state, setState] = useState<'offered' | 'making' | 'made'>('offered')
  const [codes, setCodes] = useState<string[] | null>(null)
  const isMade = state === 'made' || (show.data?.passkeys.length ?? 0) > 0

  async function make() {
    setState('making')
    try {
      const { recoveryCodes } = await makePasskey()
      setState('made')
      setCodes(recoveryCodes)
    } catch (error) {
      setState('offered')
      const description = passkeyProblem(error)
      if (description) toast({ title: 'No passkey was made', destructive: true })
      else toastError('Failed to create a passkey', error)
    }
  }

  if (!supportsPasskeys() || !show.data) return null
  return (
    <>
      {isMade ? (
        <Notice>Your passkey is ready. Next time, log in with it instead of a password.</Notice>
      ) : (
        <div className="flex flex-col items-start gap-2">
          <p className="text-muted">
            Or skip the password: use your fingerprint, face or screen lock instead.
          </p>
          <Button variant="secondary" size="sm" pending={state === 'making'} onClick={() => void make()}>
            Create a passkey
          </Button>
        </div>
      )}
      {codes && <ShownCodes codes={codes} onClose={() => setCodes(null)} />}
    </>
  )
}
