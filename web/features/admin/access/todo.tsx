import { useState } from 'react'
import { type AccessTodo, accessAdmin, maxIdsPerCall } from '#contract/access/access-admin.ts'
import { type TodoKind, todoKinds } from '#contract/statuses.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Pills, RecordList } from '../lists/record-list.tsx'
import { hiddenActions, usePages } from '../lists/record-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { formatPeople } from '../parts/count.ts'
import { ConnectionTroubleBar } from '../tradingview/trouble.tsx'
import { DeclineDialog, useActions } from './actions.tsx'
import { isAsking, kinds, TodoCells } from './todo-row.tsx'

const choices = { q: 'text', kind: todoKinds, overdue: ['yes', 'no'] } as const

export default function Todo() {
  const [chosen, choose] = useFilters(choices)
  const query = usePages(accessAdmin.todo, chosen)
  const { data: counts } = useData(
    accessAdmin.counts,
    {},
    { refetchInterval: (now) => (now?.addingNow ?? 0) > 0 && 5000 },
  )
  const rows = query.data?.pages.flatMap((page) => page.items) ?? []
  const selection = useSelection(rows)
  const actions = useActions()
  return (
    <div className="flex flex-col gap-4">
      <ConnectionTroubleBar />
      {actions.undoBar}
      <Chosen selection={selection} actions={actions} />
      <Stuck ids={rows.filter(({ kind }) => kind === 'stuck').map(({ id }) => id)} actions={actions} />
      <RecordList
        label="To do"
        noun={['person', 'people']}
        list={accessAdmin.todo}
        search="Search people..."
        controls={
          <>
            <Kinds counts={counts?.todo} chosen={chosen.kind} choose={(kind) => choose({ kind })} />
            {counts && counts.addingNow > 0 && (
              <p role="status" className="text-sm text-muted">
                {counts.addingNow} being added now
              </p>
            )}
          </>
        }
        shownElsewhere={{ kind: todoKinds }}
        chips={{ overdue: { yes: 'Overdue', no: 'New requests' } }}
        none={{ title: 'All clear', description: 'People who wait for you appear here.' }}
        countBy={({ user }) => user.id}
        firstHead={
          selection.possible > 0 && (
            <span className="flex items-center justify-between gap-4 sm:flex-row-reverse sm:justify-end">
              <span aria-hidden="true" className="@min-[60rem]:hidden">
                All
              </span>
              <TickBox
                label="Select everyone loaded"
                checked={selection.rows.length > 0 && selection.rows.length === selection.possible}
                onChange={selection.toggleAll}
              />
            </span>
          )
        }
        columns={['Customer', 'TradingView username', 'What to do', 'Due', hiddenActions]}
        renderRow={(row) => (
          <>
            {selection.possible > 0 && (
              <Cell className="w-10">
                {mayChoose(row) && (
                  <TickBox
                    label={`Select ${row.username}`}
                    checked={selection.rows.includes(row)}
                    onChange={() => selection.toggle(row.id)}
                  />
                )}
              </Cell>
            )}
            <TodoCells row={row} actions={actions} />
          </>
        )}
      />
    </div>
  )
}

/** Retries everyone for whom TradingView failed. */
function Stuck({ ids, actions }: { ids: string[]; actions: ReturnType<typeof useActions> }) {
  const mayRetry = useCan()('access.manage')
  if (ids.length < 2 || !mayRetry) return null
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-warning-soft px-4 py-2 text-sm text-warning">
      <p className="mr-auto">TradingView kept failing for {formatPeople(ids.length)}.</p>
      <Button size="sm" variant="secondary" pending={actions.isBusy} onClick={() => void actions.retryAll(ids)}>
        Try all again
      </Button>
    </div>
  )
}

function Kinds(props: {
  counts: Partial<Record<TodoKind, number>> | undefined
  chosen: TodoKind | undefined
  choose: (kind: TodoKind | undefined) => void
}) {
  const { counts, chosen, choose } = props
  const present = todoKinds.filter((kind) => (counts?.[kind] ?? 0) > 0 || kind === chosen)
  const all = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
  if (present.length === 0) return null
  const options = [
    { value: undefined, text: 'All', count: all },
    ...present.map((kind) => ({ value: kind, text: kinds[kind].text, count: counts?.[kind] ?? 0 })),
  ]
  return <Pills options={options} value={chosen} onChange={choose} />
}

/** Bulk actions; they run on a limited number and leave the rest selected. */
const mayChoose = (row: AccessTodo) => isAsking(row) || row.kind === 'lock'

function useSelection(present: AccessTodo[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const possible = present.filter(mayChoose)
  const rows = possible.filter(({ id }) => selected.has(id))
  return {
    rows,
    possible: possible.length,
    toggleAll: () => setSelected(rows.length === possible.length ? new Set() : new Set(possible.map(({ id }) => id))),
    toggle: (id: string) => setSelected(new Set(selected).symmetricDifference(new Set([id]))),
  }
}

function Chosen(props: { selection: ReturnType<typeof useSelection>; actions: ReturnType<typeof useActions> }) {
  const { selection, actions } = props
  const [declining, setDeclining] = useState(false)
  const idsOf = (rows: AccessTodo[]) => rows.slice(0, maxIdsPerCall).map(({ id }) => id)
  const asking = idsOf(selection.rows.filter(isAsking))
  const ended = idsOf(selection.rows.filter(({ kind }) => kind === 'lock'))
  const isByHand = selection.rows.some((row) => row.isByHand)
  if (selection.rows.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span className="mr-auto text-sm text-muted">{selection.rows.length} selected</span>
      {ended.length > 0 && (
        <Button size="sm" variant="secondary" onClick={() => actions.lock(ended, null)}>
          Removed {ended.length}
        </Button>
      )}
      {asking.length > 0 && (
        <>
          <Button size="sm" variant="secondary" onClick={() => setDeclining(true)}>
            Decline {asking.length}
          </Button>
          <Button
            size="sm"
            pending={actions.isBusy}
            onClick={() => (isByHand ? actions.added(asking) : actions.unlock(asking))}
          >
            {isByHand ? `I’ve added ${asking.length}` : `Unlock ${asking.length}`}
          </Button>
        </>
      )}
      {declining && <DeclineDialog ids={asking} onClose={() => setDeclining(false)} />}
    </div>
  )
}

type Ticked = { label: string; checked: boolean; disabled?: boolean; onChange: () => void }

function TickBox({ label, ...rest }: Ticked) {
  return <input type="checkbox" aria-label={label} className="size-4.5 cursor-pointer accent-accent" {...rest} />
}
