import { hashKey, type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import { session, type User } from '#contract/identity/session.ts'
import { hasPermission, type Permission } from '#contract/permissions.ts'
import { attempt, useHydrated } from '#web/ui/store.ts'
import { call, keyOf } from './client.ts'

const userKey = keyOf(session.user)
const endedKey = ['session-ended']

export function useUser() {
  // The response may arrive before hydration ends, when the output must still match the prerendered page.
  const isHydrated = useHydrated()
  const query = useQuery({ queryKey: userKey, queryFn: async () => saveLoginHint(await call(session.user, {})) })
  if (!isHydrated) return { user: null, isLoading: true, error: null, retry: query.refetch }
  return { user: query.data ?? null, isLoading: query.isPending, error: query.error, retry: query.refetch }
}

export function useCan() {
  const { user } = useUser()
  return (permission: Permission) => user !== null && hasPermission(user, permission)
}

/** True once the server has rejected a call because the session ended. The next login clears it from the cache. */
export function useSessionEnded() {
  return useQuery({ queryKey: endedKey, queryFn: () => false, enabled: false }).data === true
}

/** Forgets the user once the server has refused a call with 401. */
export function endSession(client: QueryClient) {
  if (!client.getQueryData(userKey)) return
  client.setQueryData(endedKey, true)
  client.setQueryData(userKey, saveLoginHint(null))
}

/** Clears cached data after every login, so no one sees data loaded for someone else. */
export function useStartSession() {
  const client = useQueryClient()
  return async (user?: User) => {
    removeQueriesExcept(userKey, client)
    if (user) client.setQueryData(userKey, saveLoginHint(user))
    await client.refetchQueries({ queryKey: userKey })
  }
}

export function useForgetSession() {
  const client = useQueryClient()
  return async () => {
    await client.cancelQueries()
    removeQueriesExcept(userKey, client)
    client.setQueryData(userKey, saveLoginHint(null))
    await client.refetchQueries({ queryKey: userKey })
  }
}

/** Keeps the query of this key, because the header and the guards observe it. */
function removeQueriesExcept(key: QueryKey, client: QueryClient) {
  client.removeQueries({ predicate: ({ queryHash }) => queryHash !== hashKey(key) })
}

/** Behind buttons, use `useLogOut`. */
export function useLogoutCall() {
  const forget = useForgetSession()
  return async () => {
    try {
      await call(session.logout, {})
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
    }
    await forget()
  }
}

/** Stores that someone is logged in. The script in the page's head reads it, so "Log In" doesn't flash. */
function saveLoginHint(user: User | null) {
  attempt(() => (user ? localStorage.setItem('user', '1') : localStorage.removeItem('user')))
  return user
}
