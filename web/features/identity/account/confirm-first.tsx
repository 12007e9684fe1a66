import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { useConfirmation } from './use-confirmation.ts'

export function ConfirmFirst({ children }: { children: ReactNode }) {
  const { email, send, isPending, isSent, errorMessage } = useConfirmation()
  return (
    <>
      <p className="text-sm">
        {children} <span className="font-medium wrap-anywhere">{email}</span>
      </p>
      {isSent && <Notice>We’ve emailed you a link. Open it in this browser; it works for 7 days.</Notice>}
      {errorMessage && <Notice tone="bad">{errorMessage}</Notice>}
      <Button variant="secondary" pending={isPending} onClick={send}>
        {isSent ? 'Send it again' : 'Send me the link'}
      </Button>
    </>
  )
}
