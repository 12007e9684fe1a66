import { useLogout } from '#web/api/session.ts'
import { toastError } from '#web/api/use-call.ts'
import { goTo } from '#web/ui/navigate.ts'

/** Logs out and goes home after the spec's moment. */
export function useLogOut() {
  const logout = useLogout()
  return async () => {
    try {
      await logout()
    } catch (error) {
      toastError('Logout failed', error)
      return
    }
    void goTo('/', { after: 50 })
  }
}
