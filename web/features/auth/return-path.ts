const key = 'return-to'

/** Remembers the page that required a login. */
export function rememberReturnPath() {
  sessionStorage.setItem(key, location.pathname + location.search)
}

/** Where to go after login: the page that required it, else the dashboard; never another site. */
export function takeReturnPath(): string {
  const path = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  if (!path?.startsWith('/')) return '/dashboard'
  const address = new URL(path, location.origin)
  return address.origin === location.origin ? address.pathname + address.search : '/dashboard'
}
