const key = 'return-to'

/** Remembers the page that required a login. */
export function rememberReturnPath() {
  sessionStorage.setItem(key, location.pathname + location.search)
}

/** Whoever reads on elsewhere has let go of that page. */
export function forgetReturnPath() {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Without storage there is nothing to forget, and the public pages, which call this, must not break.
  }
}

/** Where to go after login: the page that asked, else the dashboard; never another site. */
export function returnPath(): string {
  const path = sessionStorage.getItem(key)
  if (!path?.startsWith('/')) return '/dashboard'
  const address = new URL(path, location.origin)
  return address.origin === location.origin ? address.pathname + address.search : '/dashboard'
}
