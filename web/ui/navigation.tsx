import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  use,
  useEffect,
  useMemo,
  useState,
} from 'react'

type Place = {
  pathname: string
  search: string
  /** Whether the visitor got here with the browser's Back or Forward. */
  isReturn: boolean
}

type Navigator = {
  /** Shows another page once its code has loaded; until then the visitor stays on this one. */
  navigate: (href: string, options?: { replace?: boolean }) => void
  /** Prefetches a page's code. */
  prefetch: (href: string) => void
}

const NavigationContext = createContext<(Place & Navigator) | null>(null)

export function useNavigation() {
  const navigation = use(NavigationContext)
  if (!navigation) throw new Error('useNavigation needs a NavigationProvider')
  return navigation
}

/** The router without its routes, which the app provides. */
export function NavigationProvider(props: {
  /** The path of the page being prerendered or hydrated. */
  pathname: string
  load: (pathname: string) => Promise<unknown>
  children: ReactNode
}) {
  // Pages are prerendered without a query, so hydration has to start without one too.
  const [place, setPlace] = useState<Place>({ pathname: props.pathname, search: '', isReturn: false })
  const [navigator] = useState(() => createNavigator(props.load, setPlace))
  useEffect(() => navigator.listen(), [navigator])
  const navigation = useMemo(() => ({ ...place, ...navigator }), [place, navigator])
  return <NavigationContext value={navigation}>{props.children}</NavigationContext>
}

function createNavigator(load: (pathname: string) => Promise<unknown>, setPlace: (place: Place) => void) {
  const codeOf = (href: string) => load(new URL(href, location.href).pathname)
  let latest = 0

  async function show(href: string, isReturn: boolean, arrive?: () => void) {
    const request = ++latest
    try {
      await codeOf(href)
    } catch {
      // A new release removed the chunk, or the network is down: native navigation handles both.
      location.assign(href)
      return
    }
    // If the visitor has since asked for another page, that one wins.
    if (request !== latest) return
    arrive?.()
    setPlace({ pathname: location.pathname, search: location.search, isReturn })
  }

  return {
    navigate(href: string, { replace = false } = {}) {
      void show(href, false, () => history[replace ? 'replaceState' : 'pushState'](null, '', href))
    },
    prefetch(href: string) {
      codeOf(href).catch(() => undefined)
    },
    listen() {
      const onPopState = () => void show(location.href, true)
      if (location.search) void show(location.href, false)
      addEventListener('popstate', onPopState)
      return () => removeEventListener('popstate', onPopState)
    },
  }
}

/** A link to another page of the site, without a reload. Hover or focus prefetches the page's code. */
export function Link({ href, onClick, children, ...rest }: ComponentProps<'a'> & { href: string }) {
  const { navigate, prefetch } = useNavigation()
  const soon = () => prefetch(href)
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    // Leave clicks with a modifier to the browser: they open a tab or window.
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey || defaultPrevented) return
    event.preventDefault()
    navigate(href)
  }
  return (
    <a href={href} onPointerEnter={soon} onFocus={soon} onClick={follow} {...rest}>
      {children}
    </a>
  )
}
