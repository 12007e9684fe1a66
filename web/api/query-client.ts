import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import { endSession, reloadSession } from './session.ts'

/** Data a page was rendered with, besides the settings; the server embeds it in that page alone. */
export type PageData = [key: QueryKey, value: unknown][]

export const readPageData = (): PageData => JSON.parse(document.getElementById('data')?.textContent ?? '[]')

/** Defaults from docs/product.md: no retry, no refetch on focus, no polling, data never stale. */
export function createQueryClient(data: PageData = []): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) endSession(client)
    if (error instanceof ApiError && error.code === 'other-user') void reloadSession(client)
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // `always`: an offline visitor should see the error, not an endless spinner.
      queries: { retry: false, refetchOnWindowFocus: false, staleTime: Infinity, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  for (const [key, value] of data) client.setQueryData(key, value)
  return client
}
