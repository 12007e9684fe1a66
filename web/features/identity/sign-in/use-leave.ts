import { useEffect } from 'react'
import { useNavigation } from '#web/ui/navigation.tsx'
import { forgetReturnPath, returnPath } from './return-path.ts'

/** Goes on to the page that asked for the login after the promised 50 ms. */
export function useLeaveOnceLoggedIn(isLoggedIn: boolean) {
  const { navigate } = useNavigation()
  useEffect(() => {
    if (!isLoggedIn) return undefined
    const timer = setTimeout(() => {
      const next = returnPath()
      forgetReturnPath()
      navigate(next, { replace: true })
    }, 50)
    return () => clearTimeout(timer)
  }, [isLoggedIn, navigate])
}
