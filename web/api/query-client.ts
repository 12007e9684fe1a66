import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import { endSession } from './session.ts'

/** Per the spec: no retry, no refetch on focus, no polling, data never stale. */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) endSession(client)
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
  return client
}
