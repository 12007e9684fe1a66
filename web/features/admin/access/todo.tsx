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
import { DeclineDialog, useAccessActions } from './actions.tsx'
import { isUnlockable, kindTexts, TodoCells } from './todo-row.tsx'

/** Pause between polls while the connector adds people. */
const addingPollMs = 5000

const filterChoices = { q: 'text', kind: todoKinds, overdue: ['yes', 'no'] } as const

export default function Todo() {
  const [filters, setFilters] = useFilters(filterChoices)
  const query = usePages(accessAdmin.todo, filters)
  const { data: counts } = useData(
    accessAdmin.counts,
    {},
    { refetchInterval: (latestCounts) => (latestCounts && latestCounts.addingNow > 0 ? addingPollMs : false) },
  )
  const rows = query.data?.pages.flatMap((page) => page.items) ?? []
  const selection = useSelection(rows)
  const actions = useAccessActions()
  return (
    <div className="flex flex-col gap-4">
      <ConnectionTroubleBar />
      {actions.undoBar}
      <BulkActions selection={selection} actions={actions} />
      <RetryAllBar stuckRows={rows.filter(({ kind }) => kind === 'stuck')} actions={actions} />
      <RecordList
        label="To do"
        noun={['person', 'people']}
        list={accessAdmin.todo}
        search="Search people..."
        controls={
          <>
            <KindPills counts={counts?.todo} value={filters.kind} onChange={(kind) => setFilters({ kind })} />
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
          selection.selectableCount > 0 && (
            <span className="flex items-center justify-between gap-4 sm:flex-row-reverse sm:justify-end">
              <span aria-hidden="true" className="@min-[60rem]:hidden">
                All
              </span>
              <TickBox
                label="Select everyone loaded"
                checked={selection.areAllSelected}
                onChange={selection.toggleAll}
              />
            </span>
          )
        }
        columns={['Customer', 'TradingView username', 'What to do', 'Due', hiddenActions]}
        renderRow={(todo) => (
          <>
            {selection.selectableCount > 0 && (
              <Cell className="w-10">
                {isSelectable(todo) && (
                  <TickBox
                    label={`Select ${todo.username}`}
                    checked={selection.selectedRows.includes(todo)}
                    onChange={() => selection.toggle(todo.id)}
                  />
                )}
              </Cell>
            )}
            <TodoCells todo={todo} actions={actions} />
          </>
        )}
      />
    </div>
  )
}

function RetryAllBar(props: { stuckRows: AccessTodo[]; actions: ReturnType<typeof useAccessActions> }) {
  const { stuckRows, actions } = props
  const ids = stuckRows.map(({ id }) => id)
  const canRetry = useCan()('access.manage')
  if (ids.length < 2 || !canRetry) return null
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-warning-soft px-4 py-2 text-sm text-warning">
      <p className="mr-auto">TradingView kept failing for {formatPeople(ids.length)}.</p>
      <Button size="sm" variant="secondary" pending={actions.isBusy} onClick={() => void actions.retryAll(ids)}>
        Try all again
      </Button>
    </div>
  )
}

function KindPills(props: {
  counts: Partial<Record<TodoKind, number>> | undefined
  value: TodoKind | undefined
  onChange: (kind: TodoKind | undefined) => void
}) {
  const { counts, value, onChange } = props
  const shownKinds = todoKinds.filter((kind) => (counts?.[kind] ?? 0) > 0 || kind === value)
  const totalCount = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
  if (shownKinds.length === 0) return null
  const options = [
    { value: undefined, text: 'All', count: totalCount },
    ...shownKinds.map((kind) => ({ value: kind, text: kindTexts[kind].text, count: counts?.[kind] ?? 0 })),
  ]
  return <Pills options={options} value={value} onChange={onChange} />
}

const isSelectable = (todo: AccessTodo) => isUnlockable(todo) || todo.kind === 'lock'

function useSelection(loadedRows: AccessTodo[]) {
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const selectableRows = loadedRows.filter(isSelectable)
  const selectedRows = selectableRows.filter(({ id }) => selectedIds.has(id))
  const areAllSelected = selectedRows.length > 0 && selectedRows.length === selectableRows.length
  return {
    selectedRows,
    selectableCount: selectableRows.length,
    areAllSelected,
    toggleAll() {
      const selectableIds = selectableRows.map(({ id }) => id)
      setSelectedIds(new Set(areAllSelected ? [] : selectableIds))
    },
    toggle(id: string) {
      const newIds = new Set(selectedIds)
      if (selectedIds.has(id)) newIds.delete(id)
      else newIds.add(id)
      setSelectedIds(newIds)
    },
  }
}

function BulkActions(props: {
  selection: ReturnType<typeof useSelection>
  actions: ReturnType<typeof useAccessActions>
}) {
  const { actions } = props
  const { selectedRows } = props.selection
  const [isDeclining, setIsDeclining] = useState(false)
  // A call takes a limited number of people; the others stay selected.
  const idsOf = (rows: AccessTodo[]) => rows.slice(0, maxIdsPerCall).map(({ id }) => id)
  const unlockableIds = idsOf(selectedRows.filter(isUnlockable))
  const lockableIds = idsOf(selectedRows.filter(({ kind }) => kind === 'lock'))
  const isByHand = selectedRows.some((todo) => todo.isByHand)
  if (selectedRows.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span className="mr-auto text-sm text-muted">{selectedRows.length} selected</span>
      {lockableIds.length > 0 && (
        <Button size="sm" variant="secondary" onClick={() => actions.lock(lockableIds, null)}>
          Removed {lockableIds.length}
        </Button>
      )}
      {unlockableIds.length > 0 && (
        <>
          <Button size="sm" variant="secondary" onClick={() => setIsDeclining(true)}>
            Decline {unlockableIds.length}
          </Button>
          <Button
            size="sm"
            pending={actions.isBusy}
            onClick={() => (isByHand ? actions.recordAdded(unlockableIds) : actions.unlock(unlockableIds))}
          >
            {isByHand ? `I’ve added ${unlockableIds.length}` : `Unlock ${unlockableIds.length}`}
          </Button>
        </>
      )}
      {isDeclining && <DeclineDialog ids={unlockableIds} onClose={() => setIsDeclining(false)} />}
    </div>
  )
}

type TickBoxProps = { label: string; checked: boolean; disabled?: boolean; onChange: () => void }

function TickBox({ label, ...rest }: TickBoxProps) {
  return <input type="checkbox" aria-label={label} className="size-4.5 cursor-pointer accent-accent" {...rest} />
}
