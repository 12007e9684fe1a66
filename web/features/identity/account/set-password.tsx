import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'

/** A guest buyer has no password yet. It is chosen through an emailed link, which proves whose mailbox it is. */
export function SetPassword({ email }: { email: string }) {
  const [sent, setSent] = useState(false)
  const send = useCall(accounts.requestPasswordReset, {
    failed: { title: 'Error', description: 'Failed to send the link' },
    onSuccess: () => setSent(true),
  })
  return (
    <section
      aria-labelledby="set-password"
      className="flex flex-col items-start gap-3 border-line not-first:border-t not-first:pt-5"
    >
      <h3 id="set-password" className="text-base">
        Set a password
      </h3>
      <p className="text-sm text-muted">
        You bought as a guest, so you don’t have a password yet. With one, you can log in any time.
      </p>
      {sent ? (
        <Notice>
          Check the inbox of <span className="font-medium break-all">{email}</span>. The link works for 60
          minutes.
        </Notice>
      ) : (
        <Button variant="secondary" size="sm" pending={send.isPending} onClick={() => send.mutate({ email })}>
          Email me a link
        </Button>
      )}
    </section>
  )
}
