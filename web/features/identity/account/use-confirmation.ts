import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { keyOf } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'
import { messageOf, useCall } from '#web/api/use-call.ts'

/** Sends the confirmation link, and notices when it was used in another tab. */
export function useConfirmation() {
  const { user } = useUser()
  const client = useQueryClient()
  const isOpen = user !== null && !user.isProven
  const send = useCall(accounts.sendConfirmation, { refreshes: [accounts.user] })
  useEffect(() => {
    if (!isOpen) return undefined
    const look = () => {
      if (document.visibilityState === 'visible')
        void client.invalidateQueries({ queryKey: keyOf(accounts.user), exact: true })
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [isOpen, client])
  return {
    isOpen,
    email: user?.email ?? '',
    since: user?.createdAt ?? '',
    send: () => send.mutate({}),
    isPending: send.isPending,
    isSent: send.isSuccess,
    problem: send.error ? (messageOf(send.error) ?? 'Please try again.') : undefined,
  }
}
