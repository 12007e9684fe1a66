import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import { endSession } from './session.ts'

/** As the spec wants it: no retry, no refetch on focus, no polling, data never stale. */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) endSession(client)
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // `always`: without a network the visitor shall see the error and not a spinner for ever.
      queries: { retry: false, refetchOnWindowFocus: false, staleTime: Infinity, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  return client
}
