import { useLogoutCall } from '#web/api/session.ts'
import { toastError } from '#web/api/toast-error.ts'
import { useNavigation } from '#web/ui/navigation.tsx'

export function useLogOut() {
  const callLogout = useLogoutCall()
  const { navigate } = useNavigation()
  return async () => {
    try {
      await callLogout()
    } catch (error) {
      toastError('Logout failed', error)
      return
    }
    // docs/product.md: logging out leads home after 50 ms.
    setTimeout(() => navigate('/'), 50)
  }
}
