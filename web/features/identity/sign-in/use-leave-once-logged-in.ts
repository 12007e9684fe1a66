import { useEffect } from 'react'
import { useNavigation } from '#web/ui/navigation.tsx'
import { forgetReturnPath, returnPath } from './return-path.ts'

/** Opens the page to return to, 50 ms after the login, as docs/product.md promises. */
export function useLeaveOnceLoggedIn(isLoggedIn: boolean) {
  const { navigate } = useNavigation()
  useEffect(() => {
    if (!isLoggedIn) return undefined
    const timer = setTimeout(() => {
      const nextPage = returnPath()
      forgetReturnPath()
      navigate(nextPage, { replace: true })
    }, 50)
    return () => clearTimeout(timer)
  }, [isLoggedIn, navigate])
}
