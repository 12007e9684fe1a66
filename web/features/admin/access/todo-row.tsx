import { Copy } from 'lucide-react'
import { useState } from 'react'
import type { AccessTodo } from '#contract/access/access-admin.ts'
import type { TodoKind } from '#contract/statuses.ts'
import { useCan } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Cell } from '#web/ui/table.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { copy } from '../parts/copy.ts'
import { TimeLeft } from '../parts/time-left.tsx'
import { AccessMenu } from './access-menu.tsx'
import { type Actions, RenameDialog } from './actions.tsx'

type KindTexts = { text: string; sentence: string | ((todo: AccessTodo) => string) }

export const kindTexts: Record<TodoKind, KindTexts> = {
  decide: { text: 'Decide', sentence: 'Asked again after you declined or removed access.' },
  unlock: {
    text: 'Unlock',
    sentence: ({ isByHand }) =>
      isByHand ? 'Add them on TradingView, then record it here.' : 'TradingView unlocks them when you say so.',
  },
  move: { text: 'Move', sentence: ({ username, oldUsername }) => `Add ${username}, then remove ${oldUsername}.` },
  lock: { text: 'Remove', sentence: 'Access has ended. Remove them on TradingView.' },
  name_not_found: { text: 'Name not found', sentence: 'Not on TradingView. We’ve asked the buyer.' },
  name_taken: { text: 'Name taken', sentence: 'Two customers use this TradingView account.' },
  name_unreadable: { text: 'Name not valid', sentence: 'Not a valid TradingView username. Ask the buyer.' },
  stuck: { text: 'Stuck', sentence: ({ detail }) => detail ?? 'TradingView keeps failing for this person.' },
  had_access: {
    text: 'Had access before',
    sentence: 'Already had access. Manage it from here, so it ends with the subscription?',
  },
  renamed: { text: 'Renamed', sentence: ({ username, oldUsername }) => `${oldUsername} seems to be ${username} now.` },
}

export const isUnlockable = ({ kind }: AccessTodo) => kind === 'unlock' || kind === 'decide' || kind === 'move'

export function TodoCells({ todo, actions }: { todo: AccessTodo; actions: Actions }) {
  const { kind, username, due, detail, additionalInfo } = todo
  const { sentence } = kindTexts[kind]
  return (
    <>
      <CustomerCell user={todo.user} />
      <Cell label="TradingView username">{username ? <CopyButton text={username} /> : '–'}</Cell>
      <Cell label="What to do" className="max-w-80 wrap-anywhere">
        {typeof sentence === 'string' ? sentence : sentence(todo)}
        {todo.isByHand && isUnlockable(todo) && <CopyFields todo={todo} />}
        {detail && kind !== 'stuck' && <span className="block text-xs break-words text-muted">{detail}</span>}
        {additionalInfo && <span className="block text-xs break-words text-muted">“{additionalInfo}”</span>}
      </Cell>
      <Cell label="Due" className="whitespace-nowrap">
        {due && <TimeLeft until={due} />}
      </Cell>
      <Cell className="py-1.5">
        <div className="flex items-center justify-end gap-1">
          <MainButton todo={todo} actions={actions} />
          <AccessMenu person={todo} actions={actions} />
        </div>
      </Cell>
    </>
  )
}

function MainButton({ todo, actions }: { todo: AccessTodo; actions: Actions }) {
  const { id, kind, username, state } = todo
  const [isRenaming, setIsRenaming] = useState(false)
  const canManage = useCan()('access.manage')
  const renderButton = (label: string, onClick: () => unknown) => (
    <Button variant="secondary" size="sm" disabled={actions.isBusy} onClick={() => void onClick()}>
      {label}
      <span className="sr-only"> {username}</span>
    </Button>
  )
  if (isUnlockable(todo))
    return todo.isByHand
      ? renderButton('I’ve added them', () => actions.recordAdded([id]))
      : renderButton('Unlock', () => actions.unlock([id]))
  if (kind === 'lock') return renderButton('Removed', () => actions.lock([id], username))
  if (kind === 'stuck' && canManage) return renderButton('Try again', () => actions.retry(id))
  if (kind === 'stuck' && state === 'unlocking')
    return renderButton('Unlocked by hand', () => actions.recordUnlockedByHand(id))
  if (!canManage) return null
  if (kind === 'had_access') return renderButton('Manage', () => actions.adopt(id))
  return (
    <>
      {renderButton(kind === 'renamed' ? 'Use new name' : 'Fix name', () => setIsRenaming(true))}
      {isRenaming && <RenameDialog id={id} username={username} onClose={() => setIsRenaming(false)} />}
    </>
  )
}

const isoDay = (at: string) => at.slice(0, 10)

/** TradingView's form asks for the script and the last day. */
function CopyFields({ todo: { product, scripts, until } }: { todo: AccessTodo }) {
  return (
    <span className="flex flex-col gap-0.5 pt-1 text-xs text-muted">
      {scripts.length === 0 && <span>Script of {product}</span>}
      {scripts.map((script) => (
        <CopyButton key={script} text={script} />
      ))}
      {until ? <CopyButton text={isoDay(until)} /> : <span>No end date</span>}
    </span>
  )
}

function CopyButton({ text }: { text: string }) {
  return (
    <button
      type="button"
      aria-label={`Copy ${text}`}
      onClick={() => void copy(text)}
      className="inline-flex max-w-full cursor-pointer items-center gap-2 rounded-sm text-left font-mono text-sm font-medium break-all hover:text-accent-strong"
    >
      {text}
      <Copy className="size-3.5 shrink-0 text-muted" />
    </button>
  )
}
