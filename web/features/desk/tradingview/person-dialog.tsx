import { type TradingViewPerson, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { auditSentence } from '#contract/desk/audit-actions.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { refreshes } from './refreshes.ts'

const renameForm = z.object({
  username: z.string().check(z.trim(), z.minLength(1, 'TradingView username is required')),
})

/** One name on one script: what was done about it, and what the seller can do. */
export function PersonDialog({ person, onClose }: { person: TradingViewPerson; onClose: () => void }) {
  const { id, username, user, error, isWanted, isPresent } = person
  const row = { refreshes, failed: 'That didn’t work', onSuccess: onClose }
  const retry = useCall(tradingViewAdmin.retry, row)
  const remove = useCall(tradingViewAdmin.remove, { ...row, succeeded: 'Removed on TradingView' })
  const rename = useCall(tradingViewAdmin.rename, { refreshes, failed: 'Failed to change the username' })

  async function askAndRemove() {
    const yes = await confirm({
      title: 'Remove on TradingView',
      description: `Remove ${username} on TradingView? No one in this shop pays for their access.`,
      action: 'Remove',
      destructive: true,
    })
    if (yes) remove.mutate({ id })
  }

  return (
    <Dialog
      title={username}
      description={user?.email ?? 'Not from this shop'}
      onClose={onClose}
      className="max-w-xl"
    >
      <div className="flex flex-col gap-5">
        {error && <p className="text-sm text-warning">{error}</p>}
        <div className="flex flex-wrap gap-2">
          {user && (
            <Button
              size="sm"
              variant="secondary"
              pending={retry.isPending}
              onClick={() => retry.mutate({ id })}
            >
              Try again
            </Button>
          )}
          {!isWanted && isPresent && (
            <Button
              size="sm"
              variant="secondary"
              pending={remove.isPending}
              onClick={() => void askAndRemove()}
            >
              Remove on TradingView
            </Button>
          )}
        </div>
        {user && isWanted && (
          <Form
            schema={renameForm}
            aria-label="Change username"
            className="flex flex-wrap items-end gap-3"
            onSubmit={async (typed) => {
              await rename.mutateAsync({ id, ...typed })
              onClose()
            }}
          >
            <Field name="username" label="Another TradingView username">
              <Input autoComplete="off" spellCheck={false} />
            </Field>
            <SubmitButton size="sm" variant="secondary" pendingText="Saving...">
              Change
            </SubmitButton>
          </Form>
        )}
        <History id={id} />
      </div>
    </Dialog>
  )
}

/** TradingView's calls and their outcomes, as a seller would say it; whatever is new appears as it is called. */
const calls: Record<string, string> = {
  find: 'Searched for the name',
  list: 'Looked at the list',
  add: 'Let in',
  modify: 'Changed the date',
  remove: 'Removed',
}
const outcomes: Record<string, string> = {
  ok: 'done',
  passing: 'no answer',
  session: 'session ended',
  blocked: 'address blocked',
  not_yours: 'not this account’s script',
  no_such_script: 'no such script',
  no_such_name: 'no such name',
  stopped: 'connection paused',
  unknown: 'answer not understood',
}

function History({ id }: { id: string }) {
  const { data } = useData(tradingViewAdmin.history, { id })
  if (!data) return <Skeleton className="h-24" />
  if (data.length === 0)
    return <p className="text-sm text-muted">TradingView wasn’t asked about this name in the last 90 days.</p>
  return (
    <ol aria-label="History" className="flex max-h-72 flex-col gap-1.5 overflow-y-auto text-sm">
      {data.map(({ at, what, outcome }) => (
        <li key={`${at} ${what} ${outcome}`}>
          <Time value={at} withClock /> · {calls[what] ?? auditSentence(what)} ·{' '}
          {outcomes[outcome] ?? outcome}
        </li>
      ))}
    </ol>
  )
}
