import { lazy, type ReactNode, useEffect } from 'react'
import { forgetReturnPath } from '#web/features/identity/sign-in/return-path.ts'
import type { Route } from '#web/router.tsx'

// Public pages never need it; the others load it along with themselves.
export const loadPrivate = () => import('./private.tsx')
const Private = lazy(loadPrivate)

export function Guard({ route, children }: { route: Route; children: ReactNode }) {
  const isElsewhere = route.access === 'public' && !route.page.startsWith('identity/sign-in/')
  useEffect(() => {
    if (isElsewhere) forgetReturnPath()
  }, [isElsewhere])
  return route.access === 'public' ? children : <Private route={route}>{children}</Private>
}
