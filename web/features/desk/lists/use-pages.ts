import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Page } from '#contract/call.ts'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { callPage } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { keyOf } from '#web/api/use-data.ts'

type List = Endpoint & { answer?: 'list' }
type Pages = InfiniteData<Page<{ id: unknown }>, string>

const pageSize = 50

/** A paginated server list; while a new search loads, the previous rows stay. */
export function usePages<E extends List>(endpoint: E, input: Omit<InputOf<E>, 'limit' | 'cursor'>) {
  return useInfiniteQuery({
    queryKey: [...keyOf(endpoint), 'pages', input],
    queryFn: ({ pageParam, signal }) =>
      callPage(endpoint, { ...input, limit: pageSize, cursor: pageParam } as unknown as InputOf<E>, {
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}

/** A call that changes some rows of a list: of all the pages loaded so far, only theirs are refetched. */
export function useRowCall<E extends Endpoint>(
  endpoint: E,
  { list, onSuccess, ...options }: Parameters<typeof useCall<E>>[1] & { list: List },
) {
  const client = useQueryClient()
  return useCall(endpoint, {
    ...options,
    onSuccess: async (output, input) => {
      const { id, ids = [id] } = input as { id?: unknown; ids?: unknown[] }
      await refreshRows(client, list, new Set(ids))
      await onSuccess?.(output, input)
    },
  })
}

async function refreshRows(client: QueryClient, list: List, ids: ReadonlySet<unknown>) {
  const queryKey = [...keyOf(list), 'pages']
  // Lists that aren't on screen reload from the start when they next appear.
  client.removeQueries({ queryKey, type: 'inactive' })
  await client.cancelQueries({ queryKey })
  try {
    for (const [key, pages] of client.getQueriesData<Pages>({ queryKey })) {
      const input = key.at(-1) as InputOf<List>
      for (const [number, { items }] of pages?.pages.entries() ?? []) {
        if (!items.some(({ id }) => ids.has(id))) continue
        // More than one page, in case new rows have been inserted ahead of these.
        const fresh = await callPage(list, {
          ...input,
          limit: 2 * pageSize,
          cursor: pages?.pageParams[number],
        })
        client.setQueryData<Pages>(key, (known) => known && withFresh(known, number, fresh, ids))
      }
    }
  } catch {
    await client.invalidateQueries({ queryKey })
  }
}

/** The same rows in the same places, with fresh data; changed rows that left the list are dropped. */
function withFresh(known: Pages, number: number, fresh: Pages['pages'][number], ids: ReadonlySet<unknown>) {
  const now = new Map(fresh.items.map((item) => [item.id, item]))
  const update = (page: Pages['pages'][number]) => ({
    ...page,
    items: page.items.filter(({ id }) => now.has(id) || !ids.has(id)).map((item) => now.get(item.id) ?? item),
  })
  return { ...known, pages: known.pages.map((page, index) => (index === number ? update(page) : page)) }
}
