import { type ReactNode, useEffect, useState } from 'react'
import { isStaff } from '#contract/permissions.ts'
import { useSessionEnded, useUser } from '#web/api/session.ts'
import { rememberReturnPath } from '#web/features/identity/sign-in/return-path.ts'
import type { Route } from '#web/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { toast, toastShown } from '#web/ui/toast.tsx'

export function Private({ route, children }: { route: Route; children: ReactNode }) {
  const { user, isLoading, error, retry } = useUser()
  const hasEnded = useSessionEnded()
  const { navigate } = useNavigation()
  const [wasLoggedIn, setWasLoggedIn] = useState(false)
  if (user && !wasLoggedIn) setWasLoggedIn(true)

  function findRefusal(): 'ended' | 'logged-out' | 'not-admin' | 'set-up' | null {
    if (isLoading || error) return null
    if (user?.mustSetUp && route.path !== '/account') return 'set-up'
    if (user) return route.access === 'staff' && !isStaff(user) ? 'not-admin' : null
    if (hasEnded) return 'ended'
    // A logout also clears the user, but already navigates home.
    return wasLoggedIn ? null : 'logged-out'
  }
  const refusal = findRefusal()

  useEffect(() => {
    if (!refusal) return undefined
    if (refusal === 'set-up') {
      navigate('/account', { replace: true })
      return undefined
    }
    if (refusal === 'not-admin') {
      toast({ title: 'Unauthorized', description: "You don't have admin access.", destructive: true })
      return runAfterToast(() => navigate('/', { replace: true }))
    }
    rememberReturnPath({ hasSessionEnded: refusal === 'ended' })
    // docs/product.md: the dashboard shows a toast before the login, other pages redirect immediately.
    if (refusal === 'logged-out' && route.path !== '/dashboard') {
      navigate('/auth', { replace: true })
      return undefined
    }
    toast({ title: 'Unauthorized', description: 'You are logged out. Logging in again...', destructive: true })
    return runAfterToast(() => location.assign('/api/login'))
  }, [refusal, route, navigate])

  if (error)
    return (
      <div role="alert" className="flex min-h-[60vh] flex-col items-center justify-center gap-4">
        <p>We couldn’t load your account.</p>
        <Button onClick={() => void retry()}>Try again</Button>
      </div>
    )
  // At least as tall as the spinner, so the footer does not move.
  return user && !refusal ? <div className="min-h-[calc(100vh-4rem)]">{children}</div> : <Loading />
}

/** Runs the action 500 ms after the toast has slid in, so it can be read. Returns a cancel function. */
function runAfterToast(action: () => unknown) {
  let isCanceled = false
  void (async () => {
    await toastShown()
    await new Promise((resolve) => setTimeout(resolve, 500))
    if (!isCanceled) action()
  })()
  return () => {
    isCanceled = true
  }
}
