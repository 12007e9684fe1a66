import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { Page } from '#contract/call.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { HeadCell, Table } from '#web/ui/table.tsx'
import { groupSize, useVirtualRows } from './use-virtual-rows.ts'

type Props<Item> = {
  label: string
  /** Goes before the named columns. */
  firstHead?: ReactNode
  /** Column names; `Actions` is for screen readers only. */
  columns: string[]
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>
  empty: ReactNode
  /** What to call one row, and several. */
  noun: [string, string]
  /** The cells of one row. */
  renderRow: (item: Item) => ReactNode
}

/** An infinite table: pages load on scroll, and only rows near the viewport are rendered. */
export function EndlessTable<Item extends { id: string | number }>(props: Props<Item>) {
  const { label, firstHead, columns, query, empty, noun, renderRow } = props
  const table = useRef<HTMLTableElement>(null)
  if (query.isPending) return <Skeleton className="h-96 rounded-lg" />
  if (query.isError && !query.data) return <Failed retry={() => void query.refetch()} />

  const items = query.data.pages.flatMap((page) => page.items)
  const count = items.length
  if (count === 0 && !query.hasNextPage) return empty
  return (
    <div className="@container flex flex-col gap-3" aria-busy={query.isFetching}>
      <Table
        ref={table}
        label={label}
        aria-rowcount={query.hasNextPage ? -1 : count + 1}
        className={classes('records', query.isPlaceholderData && 'opacity-60')}
      >
        <thead>
          <tr aria-rowindex={1}>
            {firstHead && <HeadCell>{firstHead}</HeadCell>}
            {columns.map((column) => (
              <HeadCell key={column} className={column.startsWith('Action') ? 'text-right' : ''}>
                <span className={column === 'Actions' ? 'sr-only' : ''}>{column}</span>
              </HeadCell>
            ))}
          </tr>
        </thead>
        <Rows
          items={items}
          columns={columns.length + (firstHead ? 1 : 0)}
          table={table}
          renderRow={renderRow}
        />
      </Table>
      <footer className="flex min-h-11 items-center justify-between gap-4 text-sm text-muted">
        <output>
          {count} {noun[count === 1 ? 0 : 1]}
          {query.hasNextPage && ' so far'}
        </output>
        {query.hasNextPage && <More query={query} />}
      </footer>
    </div>
  )
}

/** The virtual rows: spacers stand in for everything outside the viewport. */
function Rows<Item extends { id: string | number }>(props: {
  items: Item[]
  columns: number
  table: RefObject<HTMLTableElement | null>
  renderRow: (item: Item) => ReactNode
}) {
  const { items, columns, table, renderRow } = props
  const groups = Math.ceil(items.length / groupSize)
  const { isNear, heightOf } = useVirtualRows(table, groups)
  const parts: ReactNode[] = []
  for (let group = 0; group < groups; group++) {
    const start = group * groupSize
    if (isNear(group)) {
      const rows = items.slice(start, start + groupSize).map((item, index) => (
        <tr
          key={item.id}
          aria-rowindex={start + index + 2}
          className="transition-colors hover:bg-accent-soft/40"
        >
          {renderRow(item)}
        </tr>
      ))
      parts.push(
        <tbody key={group} data-group={group}>
          {rows}
        </tbody>,
      )
    } else {
      let height = heightOf(group)
      while (group + 1 < groups && !isNear(group + 1)) height += heightOf(++group)
      parts.push(
        <tbody key={`before ${group}`}>
          <tr aria-hidden="true" style={{ height }}>
            <td colSpan={columns}>…</td>
          </tr>
        </tbody>,
      )
    }
  }
  return parts
}

/** Loads the next page when it nears the viewport; also a button, for people who don't scroll. */
function More({ query }: { query: { fetchNextPage: () => unknown; isFetching: boolean } }) {
  const ref = useRef<HTMLButtonElement>(null)
  const { fetchNextPage, isFetching } = query
  useEffect(() => {
    const button = ref.current
    if (!button || isFetching) return undefined
    const observer = new IntersectionObserver(
      (entries) => entries.at(-1)?.isIntersecting && fetchNextPage(),
      { rootMargin: '800px 0px' },
    )
    observer.observe(button)
    return () => observer.disconnect()
  }, [fetchNextPage, isFetching])
  return (
    <Button ref={ref} variant="ghost" size="sm" pending={isFetching} onClick={() => fetchNextPage()}>
      Load more
    </Button>
  )
}

export function Failed({ retry }: { retry: () => void }) {
  return (
    <EmptyState title="We couldn’t load this" description="Please check your connection.">
      <Button variant="secondary" onClick={retry}>
        Try again
      </Button>
    </EmptyState>
  )
}
