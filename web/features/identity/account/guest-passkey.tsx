import { useState } from 'react'
import { factors } from '#contract/identity/factors.ts'
import { useData } from '#web/api/client.ts'
import { supportsPasskeys } from '#web/api/passkeys.ts'
import { useUser } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { ConfirmFirst } from './confirm-first.tsx'
import { useMakePasskey } from './use-make-passkey.ts'

export default function GuestPasskey() {
  const { user } = useUser()
  const show = useData(factors.show, {})
  const [isNew, setIsNew] = useState(false)
  const { make, pending } = useMakePasskey(() => setIsNew(true))
  const isMade = isNew || (show.data?.passkeys.length ?? 0) > 0

  if (!supportsPasskeys() || !show.data) return null
  if (!user?.isProven)
    return (
      <div className="flex flex-col items-start gap-2">
        <ConfirmFirst>
          Or skip the password: confirm your address, then use your fingerprint, face, or screen lock instead. We’ll
          send the link to
        </ConfirmFirst>
      </div>
    )
  if (isMade) return <Notice>Your passkey is ready. Next time, log in with it instead of a password.</Notice>
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-muted">Or skip the password: use your fingerprint, face, or screen lock instead.</p>
      <Button variant="secondary" size="sm" pending={pending} onClick={make}>
        Create a passkey
      </Button>
    </div>
  )
}
