import { useLogout } from '#web/api/session.ts'
import { toastError } from '#web/api/toast-error.ts'
import { useNavigation } from '#web/ui/navigation.tsx'

export function useLogOut() {
  const logout = useLogout()
  const { navigate } = useNavigation()
  return async () => {
    try {
      await logout()
    } catch (error) {
      toastError('Logout failed', error)
      return
    }
    // docs/product.md promises 50 ms.
    setTimeout(() => navigate('/'), 50)
  }
}
