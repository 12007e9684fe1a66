import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { keyOf } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'
import { messageOf, useCall } from '#web/api/use-call.ts'

/** Confirmation of the account's address by an emailed link. Reloads the user when the tab becomes visible again. */
export function useConfirmation() {
  const { user } = useUser()
  const client = useQueryClient()
  const needsConfirmation = user !== null && !user.isProven
  const send = useCall(accounts.sendConfirmation, { refreshes: [accounts.user] })
  useEffect(() => {
    if (!needsConfirmation) return undefined
    const refreshIfVisible = () => {
      if (document.visibilityState === 'visible')
        void client.invalidateQueries({ queryKey: keyOf(accounts.user), exact: true })
    }
    document.addEventListener('visibilitychange', refreshIfVisible)
    return () => document.removeEventListener('visibilitychange', refreshIfVisible)
  }, [needsConfirmation, client])
  return {
    needsConfirmation,
    email: user?.email ?? '',
    accountCreatedAt: user?.createdAt ?? '',
    send: () => send.mutate({}),
    isPending: send.isPending,
    isSent: send.isSuccess,
    errorMessage: send.error ? (messageOf(send.error) ?? 'Please try again.') : undefined,
  }
}
