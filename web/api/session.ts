import { hashKey, type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError } from '#contract/call.ts'
import { session, type User } from '#contract/identity/session.ts'
import { hasPermission, type Permission } from '#contract/permissions.ts'
import { attempt, useHydrated } from '#web/ui/store.ts'
import { call, keyOf, setShownUser } from './client.ts'

const userKey = keyOf(session.user)
const endedKey = ['session-ended']
const hintKey = 'user'
const checkoutEmailKey = 'checkout-email'

export function useUser() {
  // The response may arrive before hydration ends, when the output must still match the prerendered page.
  const isHydrated = useHydrated()
  const query = useQuery({ queryKey: userKey, queryFn: async () => saveLoginHint(await call(session.user, {})) })
  if (!isHydrated) return { user: null, isLoading: true, error: null, retry: query.refetch }
  // A failed refetch keeps the user whom the page already shows.
  const error = query.isLoadingError ? query.error : null
  return { user: query.data ?? null, isLoading: query.isPending, error, retry: query.refetch }
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
    forgetCheckoutEmail()
    if (user) client.setQueryData(userKey, saveLoginHint(user))
    await client.refetchQueries({ queryKey: userKey })
  }
}

export function useForgetSession() {
  const client = useQueryClient()
  return async () => {
    await client.cancelQueries()
    removeQueriesExcept(userKey, client)
    forgetCheckoutEmail()
    client.setQueryData(userKey, saveLoginHint(null))
    await client.refetchQueries({ queryKey: userKey })
  }
}

/** Follows a login or logout in another tab, or on a page after which the browser shows this one again (Back). */
export function useFollowSession() {
  const client = useQueryClient()
  useEffect(() => {
    const follow = () => {
      const shownUser = client.getQueryData<User | null>(userKey)
      const currentId = readLoginHint()
      const isKnown = shownUser !== undefined && currentId !== undefined
      if (isKnown && currentId !== (shownUser?.id ?? null)) void reloadSession(client)
    }
    const events = ['storage', 'pageshow'] as const
    for (const event of events) window.addEventListener(event, follow)
    return () => {
      for (const event of events) window.removeEventListener(event, follow)
    }
  }, [client])
}

/** Clears all data of the user that the page shows, and asks the server who is logged in. */
export async function reloadSession(client: QueryClient) {
  const shownUser = client.getQueryData<User | null>(userKey)
  await client.cancelQueries()
  removeQueriesExcept(userKey, client)
  forgetCheckoutEmail()
  await client.resetQueries({ queryKey: userKey })
  if (shownUser && client.getQueryData(userKey) === null) client.setQueryData(endedKey, true)
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

/** The address that a guest typed at the checkout, until a payment, login or logout in this tab. */
export const checkoutEmail = () => attempt(() => sessionStorage.getItem(checkoutEmailKey)) ?? ''
export const rememberCheckoutEmail = (email: string) => attempt(() => sessionStorage.setItem(checkoutEmailKey, email))
export const forgetCheckoutEmail = () => attempt(() => sessionStorage.removeItem(checkoutEmailKey))

/** Stores who is logged in, for other tabs, and for the script in the page's head, so that "Log In" doesn't flash. */
function saveLoginHint(user: User | null) {
  setShownUser(user?.id)
  attempt(() => (user ? localStorage.setItem(hintKey, user.id) : localStorage.removeItem(hintKey)))
  return user
}

/** Undefined if the browser blocks storage. */
const readLoginHint = () => attempt(() => localStorage.getItem(hintKey))
