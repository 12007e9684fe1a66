import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Page } from '#contract/call.ts'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { callPage, keyOf } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'

/** A string is a left-aligned column. An object is a right-aligned one, for buttons and money; `note` is its tooltip. */
export type Column = string | { title: string; isForScreenReaders?: boolean; note?: string }
export const actionColumn: Column = { title: 'Action' }
export const hiddenActions: Column = { title: 'Actions', isForScreenReaders: true }

export type TableProps<Item> = {
  label: string
  firstHead?: ReactNode
  columns: Column[]
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>
  empty: ReactNode
  /** Singular and plural of a row. */
  noun: [string, string]
  /** Key by which rows are counted, such as the person; without it, each row counts. */
  countBy?: (item: Item) => string
  /** On a phone, the first cell and the money are one line, the others a second one. */
  hasTwoLines?: boolean
  renderRow: (item: Item) => ReactNode
}

export function RecordTable<Item extends { id: string | number }>(props: TableProps<Item>) {
  const { label, firstHead, columns, query, empty, noun, countBy, hasTwoLines, renderRow } = props
  const table = useRef<HTMLTableElement>(null)
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const count = items.length
  /** Number of rows when "Load more" was pressed; null if no more rows are awaited. */
  const countBeforeLoading = useRef<number>(null)
  // Moves the focus to the first new row, because the button may be gone.
  useEffect(() => {
    const firstNewIndex = countBeforeLoading.current
    if (firstNewIndex === null || count <= firstNewIndex) return
    table.current?.tBodies[0]?.rows[firstNewIndex]?.focus({ preventScroll: true })
    countBeforeLoading.current = null
  }, [count])
  const shownCount = countBy ? new Set(items.map(countBy)).size : count
  if (!query.data) return <Pending query={query} />
  if (count === 0 && !query.hasNextPage) return empty

  function loadMore() {
    countBeforeLoading.current = count
    void query.fetchNextPage()
  }

  return (
    <div className="@container flex flex-col gap-3" aria-busy={query.isFetching}>
      <Table
        ref={table}
        label={label}
        aria-rowcount={query.hasNextPage ? -1 : count + 1}
        className={classes('records', hasTwoLines && 'two-lines', query.isPlaceholderData && 'opacity-60')}
      >
        <thead>
          <tr>
            {firstHead && <HeadCell>{firstHead}</HeadCell>}
            {columns.map((column) => {
              if (typeof column === 'string') return <HeadCell key={column}>{column}</HeadCell>
              return (
                <HeadCell key={column.title} className="text-right" title={column.note}>
                  <span className={column.isForScreenReaders ? 'sr-only' : ''}>{column.title}</span>
                </HeadCell>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id} tabIndex={-1} className="transition-colors hover:bg-accent-soft/40">
              {renderRow(item)}
            </tr>
          ))}
        </tbody>
      </Table>
      <footer className="flex min-h-11 items-center justify-between gap-4 text-sm text-muted">
        <output>
          {shownCount} {noun[shownCount === 1 ? 0 : 1]}
          {query.hasNextPage && ' so far'}
        </output>
        {query.hasNextPage && (
          <Button variant="secondary" size="sm" pending={query.isFetchingNextPage} onClick={loadMore}>
            Load more
          </Button>
        )}
      </footer>
    </div>
  )
}

export const moneyCell = 'money text-right whitespace-nowrap tabular-nums'

export function DayCell({ label, value }: { label: string; value: string | null }) {
  return (
    <Cell label={label} className="whitespace-nowrap">
      {value ? <Time value={value} /> : '–'}
    </Cell>
  )
}

const pageSize = 50

/** While a new search loads, the previous rows stay visible. */
export function usePages<E extends Endpoint & { answer?: 'list' }>(
  endpoint: E,
  input: Omit<InputOf<E>, 'limit' | 'cursor'>,
) {
  return useInfiniteQuery({
    queryKey: [...keyOf(endpoint), 'pages', input],
    queryFn: ({ pageParam, signal }) =>
      callPage(endpoint, { ...input, limit: pageSize, cursor: pageParam } as unknown as InputOf<E>, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}
