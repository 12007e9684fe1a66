import type { Href } from '#web/ui/navigation.tsx'
import { attempt } from '#web/ui/store.ts'

export const returnKey = 'return-to'

export const endedKey = 'session-ended'

/** The address whose password was just set, for the login that follows. */
export const emailKey = 'login-email'

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
    sessionStorage.removeItem(returnKey)
    sessionStorage.removeItem(endedKey)
  })

/** Returns the page that asked for the login, else the dashboard; never another site. */
export function returnPath(): Href {
  const path = sessionStorage.getItem(returnKey)
  if (!path?.startsWith('/')) return '/dashboard'
  const address = new URL(path, location.origin)
  return address.origin === location.origin ? ((address.pathname + address.search) as Href) : '/dashboard'
}
