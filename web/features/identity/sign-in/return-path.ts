import type { Href } from '#web/ui/navigation.tsx'

const key = 'return-to'

const endedKey = 'session-ended'

/** Remembers the page that required a login, and whether there was a session before. */
export function rememberReturnPath(hasEnded?: unknown) {
  sessionStorage.setItem(key, location.pathname + location.search)
  if (hasEnded === true) sessionStorage.setItem(endedKey, '1')
}

/** Sends them elsewhere than they came from. */
export const returnTo = (path: string) => sessionStorage.setItem(key, path)

/** Why someone is asked to log in; nothing when they came by themselves. */
export function loginReason(): string {
  if (sessionStorage.getItem(endedKey))
    return 'Your session has ended. Log in again, and you’ll be back where you were.'
  return sessionStorage.getItem(key) ? 'Please log in to continue.' : ''
}

/** Anyone who reads on elsewhere has let go of that page. */
export function forgetReturnPath() {
  try {
    sessionStorage.removeItem(key)
    sessionStorage.removeItem(endedKey)
  } catch {
    // Without storage there is nothing to forget, and the public pages, which call this, must not break.
  }
}

/** Where to go after login: the page that asked, else the dashboard; never another site. */
export function returnPath(): Href {
  const path = sessionStorage.getItem(key)
  if (!path?.startsWith('/')) return '/dashboard'
  const address = new URL(path, location.origin)
  return address.origin === location.origin ? ((address.pathname + address.search) as Href) : '/dashboard'
}
