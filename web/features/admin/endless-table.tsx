import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Page } from '#contract/call.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { HeadCell, Table } from '#web/ui/table.tsx'

type Props<Item> = {
  label: string
  /** Before the named columns. */
  firstHead?: ReactNode
  /** Their names; `Actions` is read out only. */
  columns: string[]
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>
  empty: ReactNode
  /** What a row is, and what many are. */
  noun: [string, string]
  /** The cells of one row. */
  renderRow: (item: Item) => ReactNode
}

/** A table without end: pages come while one scrolls, and those far away give their rows back. */
export function EndlessTable<Item extends { id: string | number }>(props: Props<Item>) {
  const { label, firstHead, columns, query, empty, noun, renderRow } = props
  if (query.isPending) return <Skeleton className="h-96 rounded-lg" />
  if (query.isError && !query.data) return <Failed retry={() => void query.refetch()} />

  const { pages } = query.data
  const count = pages.reduce((sum, page) => sum + page.items.length, 0)
  if (count === 0 && !query.hasNextPage) return empty
  return (
    <div className="flex flex-col gap-3" aria-busy={query.isFetching}>
      <Table
        label={label}
        aria-rowcount={query.hasNextPage ? -1 : count + 1}
        className={classes('records', query.isPlaceholderData && 'opacity-60')}
      >
        <thead>
          <tr aria-rowindex={1}>
            {firstHead && <HeadCell>{firstHead}</HeadCell>}
            {columns.map((column) => (
              <HeadCell key={column}>
                <span className={column === 'Actions' ? 'sr-only' : ''}>{column}</span>
              </HeadCell>
            ))}
          </tr>
        </thead>
        {pages.map((page, number) => {
          const before = pages.slice(0, number).reduce((sum, earlier) => sum + earlier.items.length, 0)
          return (
            <NearRows
              key={page.items[0]?.id ?? `empty-${number}`}
              columns={columns.length + (firstHead ? 1 : 0)}
            >
              {page.items.map((item, index) => (
                <tr
                  key={item.id}
                  aria-rowindex={before + index + 2}
                  className="transition-colors last:*:border-b-0 hover:bg-accent-soft/40"
                >
                  {renderRow(item)}
                </tr>
              ))}
            </NearRows>
          )
        })}
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

/** Rows that are far from the screen are replaced by their height, so that a long list stays quick. */
function NearRows({ columns, children }: { columns: number; children: ReactNode }) {
  const ref = useRef<HTMLTableSectionElement>(null)
  const [height, setHeight] = useState<number | null>(null)
  useEffect(() => {
    const rows = ref.current
    if (!rows) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1)
        if (!entry || rows.contains(document.activeElement)) return
        setHeight(entry.isIntersecting ? null : entry.boundingClientRect.height)
      },
      { rootMargin: '1500px 0px' },
    )
    observer.observe(rows)
    return () => observer.disconnect()
  }, [])
  return (
    <tbody ref={ref}>
      {height === null ? (
        children
      ) : (
        <tr aria-hidden="true" style={{ height }}>
          <td colSpan={columns}>…</td>
        </tr>
      )}
    </tbody>
  )
}

/** Asks for the next page when it comes near the screen; a button for those who do not scroll. */
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
    <Button ref={ref} look="quiet" size="sm" pending={isFetching} onClick={() => fetchNextPage()}>
      Load more
    </Button>
  )
}

export function Failed({ retry }: { retry: () => void }) {
  return (
    <EmptyState title="This could not be loaded" description="Please check your connection.">
      <Button look="secondary" onClick={retry}>
        Try again
      </Button>
    </EmptyState>
  )
}
