import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createCaller } from '#contract/call.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'

let shownUserId: string | undefined

/** The server refuses a change if another tab has logged in as someone else than the user whom this page shows. */
export const setShownUser = (id: string | undefined) => {
  shownUserId = id
}

function fetchAsShownUser(address: string, init: RequestInit) {
  const headers = new Headers(init.headers)
  if (shownUserId) headers.set('shown-user', shownUserId)
  return fetch(address, { ...init, headers })
}

export const { send, call, callAndCheckDone, callPage } = createCaller(
  fetchAsShownUser,
  // Loaded on demand; most visits never need another proof.
  async (ways) => (await import('./step-up.tsx')).proveAgain(ways),
)

/** Query key of an endpoint: its path, then its input. Without an input it matches every input's query. */
export function keyOf<E extends Endpoint>(endpoint: E, input?: InputOf<E>): unknown[] {
  const segments = endpoint.path.split('/').filter(Boolean)
  return input === undefined || Object.keys(input).length === 0 ? segments : [...segments, input]
}

export function useData<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  options?: {
    enabled?: boolean
    /** Never refreshed, because no call changes this data. */
    once?: boolean
    /** In milliseconds; 0 drops the data on unmount, so each mount loads again. */
    gcTime?: number
    refetchInterval?: (data: OutputOf<E> | undefined) => number | false
  },
) {
  return useQuery<OutputOf<E>>({
    queryKey: keyOf(endpoint, input),
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    ...(options?.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options?.once ? { staleTime: 'static' } : {}),
    ...(options?.gcTime === undefined ? {} : { gcTime: options.gcTime }),
    ...(options?.refetchInterval
      ? { refetchInterval: ({ state }) => options.refetchInterval?.(state.data) ?? false }
      : {}),
  })
}

export function useRefresh(endpoints: Endpoint[]) {
  const client = useQueryClient()
  return () => Promise.all(endpoints.map((endpoint) => client.invalidateQueries({ queryKey: keyOf(endpoint) })))
}
