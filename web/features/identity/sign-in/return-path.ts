import { useState } from 'react'
import type { Href } from '#web/ui/navigation.tsx'
import { attempt, useHydrated } from '#web/ui/store.ts'

const returnPathKey = 'return-to'
const sessionEndedKey = 'session-ended'
const emailKey = 'login-email'

/** Remembers a typed email address for the next login page; `forgetReturnPath` removes it. */
export const rememberEmail = (email: string) => attempt(() => sessionStorage.setItem(emailKey, email.trim()))

/** The email address typed on an earlier page; empty during hydration. */
export function useRememberedEmail() {
  const hydrated = useHydrated()
  const [email] = useState(() =>
    typeof window === 'undefined' ? '' : (attempt(() => sessionStorage.getItem(emailKey)) ?? ''),
  )
  return hydrated ? email : ''
}

/** Opens the present page again after the login. If `hasSessionEnded`, the login page says so. */
export function rememberReturnPath({ hasSessionEnded }: { hasSessionEnded: boolean }) {
  returnTo(location.pathname + location.search)
  if (hasSessionEnded) attempt(() => sessionStorage.setItem(sessionEndedKey, '1'))
}

/** Why the visitor has to log in. Empty if they opened the login page themselves. */
export function loginReason(): string {
  if (attempt(() => sessionStorage.getItem(sessionEndedKey)))
    return 'Your session has ended. Log in again, and you’ll be back where you were.'
  return attempt(() => sessionStorage.getItem(returnPathKey)) ? 'Please log in to continue.' : ''
}

export const returnTo = (path: string) => attempt(() => sessionStorage.setItem(returnPathKey, path))

export const returnToPayment = (paymentIntentId: string) =>
  returnTo(`/checkout/success?payment_intent=${encodeURIComponent(paymentIntentId)}`)

export const forgetReturnPath = () =>
  attempt(() => {
    sessionStorage.removeItem(emailKey)
    sessionStorage.removeItem(returnPathKey)
    sessionStorage.removeItem(sessionEndedKey)
  })

/** Page to open after the login, by default the dashboard. */
export const returnPath = (): Href => pathOnThisSite(attempt(() => sessionStorage.getItem(returnPathKey)))

/** Returns the path, or the dashboard's if the path leads to another site. */
export function pathOnThisSite(path: string | null | undefined): Href {
  if (!path?.startsWith('/')) return '/dashboard'
  const address = new URL(path, location.origin)
  return address.origin === location.origin ? ((address.pathname + address.search) as Href) : '/dashboard'
}
