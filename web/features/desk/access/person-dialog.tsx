import { Ellipsis } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { accessAdmin, type Whose } from '#contract/access/access-admin.ts'
import { useIsAdmin } from '#web/api/session.ts'
import { useData } from '#web/api/use-data.ts'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Time } from '#web/ui/time.tsx'
import { Failed } from '../lists/record-table.tsx'
import { type Actions, DeclineDialog, ExchangeKeys, RenameDialog } from './actions.tsx'

type Person = Whose & { exchangeName?: string | null; hasKeys?: boolean }

/** What a row has no room for: the rest of what can be done, and what happened. */
export function More({ person, actions }: { person: Person; actions: Actions }) {
  const [opened, setOpened] = useState<'person' | 'decline' | 'rename' | null>(null)
  const close = () => setOpened(null)
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        aria-label={`More about ${person.username ?? person.user.email}`}
        onClick={() => setOpened('person')}
      >
        <Ellipsis className="size-4.5" aria-hidden="true" />
      </Button>
      {opened === 'person' && (
        <PersonDialog person={person} actions={actions} open={setOpened} onClose={close} />
      )}
      {opened === 'decline' && <DeclineDialog ids={[person.id]} onClose={close} />}
      {opened === 'rename' && <RenameDialog id={person.id} username={person.username} onClose={close} />}
    </>
  )
}

function PersonDialog(props: {
  person: Person
  actions: Actions
  open: (dialog: 'decline' | 'rename') => void
  onClose: () => void
}) {
  const { person, actions, open, onClose } = props
  const { id, username, user, state, reason, mayUndo, exchangeName, hasKeys } = person
  const isPaidFor = reason !== null && (state === 'unlocking' || state === 'unlocked')
  const isAdmin = useIsAdmin()
  /** Whatever is done closes the dialog: the list shows what came of it. */
  const act = (label: ReactNode, onClick: () => unknown, isDangerous = false) => (
    <Button
      size="sm"
      variant={isDangerous ? 'dangerGhost' : 'secondary'}
      onClick={() => {
        onClose()
        onClick()
      }}
    >
      {label}
    </Button>
  )
  return (
    <Dialog
      title={username ?? 'No username yet'}
      description={[user.name, user.email].filter(Boolean).join(', ')}
      onClose={onClose}
      className="max-w-xl"
    >
      <div className="flex flex-wrap gap-2">
        {mayUndo && act('Undo', () => actions.undo([id]))}
        {state === 'asked' && act('Unlock', () => actions.unlock([id]))}
        {state === 'unlocking' && !mayUndo && act('Unlocked by hand', () => actions.unlockedByHand(id))}
        {state === 'withheld' && act('Restore', () => actions.restore([id]))}
        {isAdmin && act('Change username', () => open('rename'))}
        {isAdmin && isPaidFor && act('Try again', () => actions.retry(id))}
        {isAdmin && hasKeys && <ExchangeKeys id={id} />}
        {state === 'unlocked' && !isPaidFor && act('Removed', () => actions.lock([id], username))}
        {state === 'asked' && act('Decline', () => open('decline'), true)}
        {isPaidFor && !mayUndo && act('Remove', () => actions.withhold(id, username), true)}
      </div>
      {exchangeName && <p className="text-sm text-muted">Exchange: {exchangeName}</p>}
      <History id={id} />
    </Dialog>
  )
}

/** TradingView's calls and their outcomes, as a seller would say it; anything else comes in words already. */
const calls: Record<string, string> = {
  find: 'Searched for the name',
  list: 'Checked',
  add: 'Added',
  modify: 'Date updated',
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
  const { data, isError, refetch } = useData(accessAdmin.history, { id })
  if (isError) return <Failed retry={() => void refetch()} />
  if (!data) return <Skeleton className="h-24" />
  if (data.length === 0) return <p className="text-sm text-muted">No activity in 90 days.</p>
  return (
    <ol aria-label="History" className="flex max-h-72 flex-col gap-1.5 overflow-y-auto text-sm">
      {data.map(({ at, what, outcome, detail }) => (
        <li key={`${at} ${what} ${outcome} ${detail}`} className="break-words">
          <Time value={at} withClock /> · {calls[what] ?? what} · {outcomes[outcome] ?? outcome}
          {detail && <span className="text-muted"> · {detail}</span>}
        </li>
      ))}
    </ol>
  )
}
