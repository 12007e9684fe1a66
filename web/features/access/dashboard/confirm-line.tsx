import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { dayMs } from '#contract/dates.ts'
import { useConfirmation } from '#web/features/identity/account/use-confirmation.ts'
import { Container } from '#web/ui/page.tsx'

/** Lifetime of the link in the welcome email. */
const linkLifetimeMs = 7 * dayMs

export function ConfirmLine() {
  const { needsConfirmation, email, accountCreatedAt, send, isPending, isSent, errorMessage } = useConfirmation()
  const [now] = useState(Date.now)
  if (!needsConfirmation) return null
  const hasValidLink = isSent || now - Date.parse(accountCreatedAt) < linkLifetimeMs
  const sendLabel = hasValidLink ? 'Send again' : 'Send me a link'
  return (
    <aside aria-label="Confirm your address" className="border-b border-line bg-surface text-sm">
      <Container className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5 sm:flex-nowrap">
        <MailCheck className="size-4 shrink-0 text-muted max-sm:hidden" />
        <p role="status" className="min-w-0">
          <span className="font-medium">Confirm your address:</span>{' '}
          {errorMessage ?? (
            <>
              {linkSentence({ isSent, hasValidLink })}
              <span className="wrap-anywhere">{email}</span>
              {hasValidLink ? '.' : '?'}
            </>
          )}
        </p>
        <button
          type="button"
          disabled={isPending}
          onClick={send}
          className="shrink-0 cursor-pointer rounded-sm font-medium text-ink underline decoration-field underline-offset-4 hover:decoration-ink disabled:opacity-60"
        >
          {isPending ? 'Sending...' : sendLabel}
        </button>
      </Container>
    </aside>
  )
}

function linkSentence({ isSent, hasValidLink }: { isSent: boolean; hasValidLink: boolean }) {
  if (isSent) return 'we’ve sent another link to '
  // A guest's first email is the receipt; its link to set a password also confirms the address.
  return hasValidLink ? 'use the link in our first email to ' : 'is it '
}
