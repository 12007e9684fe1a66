import { type ComponentProps, createContext, type MouseEvent, type ReactNode, use, useEffect, useState } from 'react'
import { createStore, useStore } from './store.ts'

/** Addresses that links may lead to. The app adds its own (`web/router.tsx`), so a link to no page is a type error. */
export interface Addresses {}
export type Href = Addresses extends { href: infer H extends string } ? H : string

type PageLocation = {
  pathname: string
  search: string
  /** True after the browser's Back or Forward. */
  isReturn: boolean
}

type Navigator = {
  /** Shows another page once its code has loaded; until then the visitor stays on this one. */
  navigate: (href: Href, options?: { replace?: boolean }) => void
  prefetch: (href: string) => void
  /** Registers a question before another page is shown, also by Back; false stays. Returns the unsubscribe function. */
  askBeforeLeaving: (mayLeave: () => Promise<boolean>) => () => void
}

type Pattern = { path: string; below?: boolean }

/** Returns the first route that fits. `:id` matches one segment; `below` also matches any longer address. */
export function match<Route extends Pattern>(routes: readonly Route[], pathname: string) {
  const parts = pathname.split('/')
  for (const route of routes) {
    const asked = route.path.split('/')
    const params: Record<string, string> = {}
    const fits = asked.every((part, index) => {
      const given = parts[index]
      if (part[0] !== ':' || !given) return part === given
      params[part.slice(1)] = given
      return true
    })
    if (fits && (route.below || asked.length === parts.length)) return { route, params }
  }
  return undefined
}

const NavigationContext = createContext<ReturnType<typeof createNavigator> | null>(null)

/** This value never changes, so components that only navigate do not re-render with each page. */
function useNavigator() {
  const navigator = use(NavigationContext)
  if (!navigator) throw Error('navigation')
  return navigator
}

export const usePlace = <Selected = PageLocation>(read?: (place: PageLocation) => Selected) =>
  useStore(useNavigator().place, read)

export const useNavigation = (): PageLocation & Navigator => ({ ...useNavigator(), ...usePlace() })

/** Router without routes; the app provides them. */
export function NavigationProvider(props: {
  /** Path of the page being prerendered or hydrated. */
  pathname: string
  load: (pathname: string) => Promise<unknown>
  children: ReactNode
}) {
  const [navigator] = useState(() => createNavigator(props.load, props.pathname))
  useEffect(() => navigator.listen(), [navigator])
  return <NavigationContext value={navigator}>{props.children}</NavigationContext>
}

function createNavigator(load: (pathname: string) => Promise<unknown>, pathname: string) {
  // Pages are prerendered without a query, so hydration has to start without one too.
  const store = createStore<PageLocation>({ pathname, search: '', isReturn: false })
  const arrived = (isReturn: boolean) => store.set({ pathname: location.pathname, search: location.search, isReturn })
  const codeOf = (href: string) => load(new URL(href, location.href).pathname)
  let latest = 0
  let guard: { here: string; mayLeave: () => Promise<boolean> } | undefined

  async function show(href: string, isReturn: boolean, arrive?: () => void) {
    const request = ++latest
    if (guard) {
      const { here, mayLeave } = guard
      const isLeaving = new URL(href, here).pathname !== new URL(here).pathname
      if (isLeaving && !(await mayLeave())) {
        // After Back, the browser's address is already the other page's.
        if (isReturn && request === latest) history.pushState(null, '', here)
        return
      }
    }
    try {
      await codeOf(href)
    } catch {
      // A new release removed the chunk, or the network is down: native navigation handles both.
      location.assign(href)
      return
    }
    // A page that the visitor has asked for since wins.
    if (request !== latest) return
    arrive?.()
    arrived(isReturn)
  }

  return {
    place: store,
    navigate(href: Href, { replace = false } = {}) {
      void show(href, false, () => history[replace ? 'replaceState' : 'pushState'](null, '', href))
    },
    prefetch(href: string) {
      codeOf(href).catch(() => undefined)
    },
    askBeforeLeaving(mayLeave: () => Promise<boolean>) {
      guard = { here: location.href, mayLeave }
      return () => {
        guard = undefined
      }
    },
    listen() {
      const onPopState = () => void show(location.href, true)
      if (location.search) arrived(false)
      addEventListener('popstate', onPopState)
      return () => removeEventListener('popstate', onPopState)
    },
  }
}

type LinkProps = ComponentProps<'a'> & {
  href: Href
  /** Replaces this page in the history. */
  replace?: boolean
}

export function Link({ href, replace = false, onClick, children, ...rest }: LinkProps) {
  const { navigate, prefetch } = useNavigator()
  const soon = () => prefetch(href)
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    // Leave clicks with a modifier to the browser: they open a tab or window.
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey || defaultPrevented) return
    event.preventDefault()
    navigate(href, { replace })
  }
  return (
    <a href={href} onPointerEnter={soon} onFocus={soon} onClick={follow} {...rest}>
      {children}
    </a>
  )
}

export function AnyLink(props: ComponentProps<'a'> & { href: string }) {
  const Element = props.href.startsWith('/') ? Link : 'a'
  return <Element {...props} href={props.href as Href} />
}
