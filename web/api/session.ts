import { hashKey, type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { accounts, type User } from '#contract/accounts.ts'
import { ApiError } from '#contract/call.ts'
import { useHydrated } from '#web/ui/use-hydrated.ts'
import { call } from './client.ts'
import { keyOf } from './use-data.ts'

const userKey = keyOf(accounts.user)
const endedKey = ['session-ended']

export function useUser() {
  // On a slow machine the answer is there before the last part of the page is hydrated.
  const hydrated = useHydrated()
  const query = useQuery({
    queryKey: userKey,
    queryFn: async () => remember(await call(accounts.user, {})),
  })
  if (!hydrated) return { user: null, isLoading: true, error: null, retry: query.refetch }
  return { user: query.data ?? null, isLoading: query.isPending, error: query.error, retry: query.refetch }
}

/** True once the server has refused a call because the session was over. */
export function useSessionEnded() {
  return useQuery({ queryKey: endedKey, queryFn: () => false, enabled: false }).data === true
}

export function endSession(client: QueryClient) {
  if (!client.getQueryData(userKey)) return
  client.setQueryData(endedKey, true)
  client.setQueryData(userKey, remember(null))
}

/** After login, registration and guest login: nobody sees what was loaded for somebody else. */
export function useStartSession() {
  const client = useQueryClient()
  return async (user?: User) => {
    forgetAllBut(userKey, client)
    if (user) client.setQueryData(userKey, remember(user))
    await client.refetchQueries({ queryKey: userKey })
  }
}

/** After logout, and whatever else ended the session on the server: nothing of it stays in this browser. */
export function useForgetSession() {
  const client = useQueryClient()
  return async () => {
    await client.cancelQueries()
    forgetAllBut(userKey, client)
    client.setQueryData(userKey, remember(null))
    await client.refetchQueries({ queryKey: userKey })
  }
}

/** The key's own query stays, because the header and the guards watch it: they learn from it what is new. */
function forgetAllBut(key: QueryKey, client: QueryClient) {
  client.removeQueries({ predicate: ({ queryHash }) => queryHash !== hashKey(key) })
}

export function useLogout() {
  const forget = useForgetSession()
  return async () => {
    try {
      await call(accounts.logout, {})
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
    }
    await forget()
  }
}

/** The head script reads this hint, so that a returning user does not see "Log In" for a moment. */
function remember(user: User | null) {
  try {
    if (user) localStorage.setItem('user', '1')
    else localStorage.removeItem('user')
  } catch {
    // Without storage there is only no hint.
  }
  return user
}
