import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { callPage } from '#web/api/client.ts'
import { keyOf } from '#web/api/use-data.ts'

const pageSize = 50

/** A paginated server list; while a new search loads, the previous rows stay. */
export function usePages<E extends Endpoint & { answer?: 'list' }>(
  endpoint: E,
  input: Omit<InputOf<E>, 'limit' | 'cursor'>,
) {
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
