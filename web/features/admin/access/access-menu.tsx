import { type AccessOwner, accessAdmin } from '#contract/access/access-admin.ts'
import { type AccessState, accessStateTexts } from '#contract/statuses.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { Pending } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Time } from '#web/ui/time.tsx'
import { RowMenu } from '../parts/row-menu.tsx'
import { type Actions, DeclineDialog, ExchangeKeys, RenameDialog } from './actions.tsx'

export const stateTones = {
  none: 'neutral',
  asked: 'warning',
  unlocking: 'warning',
  unlocked: 'good',
  locked: 'neutral',
  declined: 'bad',
  withheld: 'bad',
} as const satisfies Record<AccessState, string>

type AccessMenuPerson = AccessOwner & { exchangeName?: string | null; hasKeys?: boolean; endRequested?: boolean }

export function AccessMenu({ person, actions }: { person: AccessMenuPerson; actions: Actions }) {
  const { id, username, user, state, reason, mayUndo, isByHand, endRequested = false } = person
  const isPaidFor = reason !== null && (state === 'unlocking' || state === 'unlocked')
  return (
    <RowMenu
      label={username ?? user.email}
      actions={[
        mayUndo && { text: 'Undo', run: () => actions.undo([id]) },
        state === 'asked' && isByHand && { text: 'I’ve added them', run: () => actions.recordAdded([id]) },
        state === 'asked' && !isByHand && { text: 'Unlock', run: () => actions.unlock([id]) },
        endRequested && {
          text: 'Keep the subscription',
          needs: 'money.refund',
          run: () => actions.settleDeclined(id, 'keep'),
        },
        endRequested && {
          text: 'Refund and cancel',
          needs: 'money.refund',
          question: {
            title: 'Refund and cancel',
            description: `The latest payment goes back to the card of ${user.email}, and the subscription ends today.`,
            action: 'Refund and cancel',
          },
          run: () => actions.settleDeclined(id, 'end'),
          isDangerous: true,
        },
        state === 'unlocking' && !mayUndo && { text: 'Unlocked by hand', run: () => actions.recordUnlockedByHand(id) },
        state === 'withheld' && { text: 'Restore', run: () => actions.restore([id], isByHand) },
        {
          text: 'Change username',
          needs: 'access.manage',
          renderDialog: (close) => <RenameDialog id={id} username={username} onClose={close} />,
        },
        isPaidFor && { text: 'Try again', needs: 'access.manage', run: () => actions.retry(id) },
        { text: 'History and details', renderDialog: (close) => <Details person={person} onClose={close} /> },
        state === 'unlocked' && !isPaidFor && { text: 'Removed', run: () => actions.lock([id], username) },
        state === 'asked' && {
          text: 'Decline',
          renderDialog: (close) => <DeclineDialog ids={[id]} onClose={close} />,
          isDangerous: true,
        },
        isPaidFor && !mayUndo && { text: 'Remove', run: () => actions.withhold(id, username), isDangerous: true },
      ]}
    />
  )
}

function Details({ person, onClose }: { person: AccessMenuPerson; onClose: () => void }) {
  const { id, username, user, exchangeName, hasKeys } = person
  const can = useCan()
  return (
    <Dialog
      title={username ?? 'No username yet'}
      description={[user.name, user.email].filter(Boolean).join(', ')}
      onClose={onClose}
      className="max-w-xl"
    >
      {exchangeName && <p className="text-sm text-muted">Exchange: {exchangeName}</p>}
      {can('access.manage') && hasKeys && <ExchangeKeys id={id} />}
      <History id={id} />
    </Dialog>
  )
}

/** Texts of the connector's calls. Other events have a readable text already. */
const eventTexts: Record<string, string> = {
  find: 'Searched for the name',
  list: 'Checked',
  add: 'Added',
  modify: 'Date updated',
  remove: 'Removed',
}
const outcomeTexts: Record<string, string> = {
  ...accessStateTexts,
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
  const query = useData(accessAdmin.history, { id })
  const { data } = query
  if (!data) return <Pending query={query} className="h-24" />
  if (data.length === 0) return <p className="text-sm text-muted">No activity in 90 days.</p>
  return (
    <ol aria-label="History" className="flex max-h-72 flex-col gap-1.5 overflow-y-auto text-sm">
      {data.map(({ at, what, outcome, detail }) => (
        <li key={`${at} ${what} ${outcome} ${detail}`} className="break-words">
          <Time value={at} withClock /> · {eventTexts[what] ?? what} · {outcomeTexts[outcome] ?? outcome}
          {detail && <span className="text-muted"> · {detail}</span>}
        </li>
      ))}
    </ol>
  )
}
