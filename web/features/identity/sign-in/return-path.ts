import { useState } from 'react'
import type { Href } from '#web/ui/navigation.tsx'
import { attempt, useHydrated } from '#web/ui/store.ts'

export const returnKey = 'return-to'

export const endedKey = 'session-ended'

const emailKey = 'login-email'

/** Keeps a typed address for the next login page, until someone has logged in. */
export const rememberEmail = (email: string) => attempt(() => sessionStorage.setItem(emailKey, email.trim()))

/** Returns the address typed on the page before; empty during hydration. */
export function useRememberedEmail() {
  const hydrated = useHydrated()
  const [email] = useState(() =>
    typeof window === 'undefined' ? '' : (attempt(() => sessionStorage.getItem(emailKey)) ?? ''),
  )
  return hydrated ? email : ''
}

export function rememberReturnPath(hasEnded?: unknown) {
  sessionStorage.setItem(returnKey, location.pathname + location.search)
  if (hasEnded === true) sessionStorage.setItem(endedKey, '1')
}

export const returnTo = (path: string) => sessionStorage.setItem(returnKey, path)

/** The page of a purchase, where its username is confirmed. */
export const returnToPayment = (paymentIntentId: string) =>
  returnTo(`/checkout/success?payment_intent=${encodeURIComponent(paymentIntentId)}`)

/** Forgets the return path once the visitor reads on elsewhere. */
export const forgetReturnPath = () =>
  attempt(() => {
    sessionStorage.removeItem(emailKey)
    sessionStorage.removeItem(returnKey)
    sessionStorage.removeItem(endedKey)
  })

/** Returns the page that asked for the login, else the dashboard; never another site. */
export function returnPath(path = attempt(() => sessionStorage.getItem(returnKey))): Href {
  if (!path?.startsWith('/')) return '/dashboard'
  const address = new URL(path, location.origin)
  return address.origin === location.origin ? ((address.pathname + address.search) as Href) : '/dashboard'
}
