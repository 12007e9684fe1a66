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

type Pattern = { path: string; matchesLongerPaths?: boolean }

/** Returns the first route that matches. `:id` matches one segment; `matchesLongerPaths` any longer address, too. */
export function match<Route extends Pattern>(routes: readonly Route[], pathname: string) {
  const segments = pathname.split('/')
  for (const route of routes) {
    const pattern = route.path.split('/')
    const hasRightLength = pattern.length === segments.length || route.matchesLongerPaths
    const params = hasRightLength ? matchSegments(pattern, segments) : null
    if (params) return { route, params }
  }
  return undefined
}

/** Returns the values of the pattern's parameters, or null if a segment doesn't match. */
function matchSegments(pattern: string[], segments: string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]
    if (part.startsWith(':') && segment) params[part.slice(1)] = segment
    else if (part !== segment) return null
  }
  return params
}

const NavigationContext = createContext<ReturnType<typeof createNavigator> | null>(null)

/** This value never changes, so components that only navigate do not re-render with each page. */
function useNavigator() {
  const navigator = use(NavigationContext)
  if (!navigator) throw Error('useNavigator needs a NavigationProvider')
  return navigator
}

export const usePageLocation = <Selected = PageLocation>(select?: (pageLocation: PageLocation) => Selected) =>
  useStore(useNavigator().pageLocation, select)

export const useNavigation = (): PageLocation & Navigator => ({ ...useNavigator(), ...usePageLocation() })

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
  const publishLocation = (isReturn: boolean) =>
    store.set({ pathname: location.pathname, search: location.search, isReturn })
  const loadCode = (href: string) => load(new URL(href, location.href).pathname)
  let latestRequest = 0
  let leaveGuard: { guardedHref: string; mayLeave: () => Promise<boolean> } | undefined

  async function show(href: string, isReturn: boolean, changeHistory?: () => void) {
    const request = ++latestRequest
    if (leaveGuard) {
      const { guardedHref, mayLeave } = leaveGuard
      const isLeaving = new URL(href, guardedHref).pathname !== new URL(guardedHref).pathname
      if (isLeaving && !(await mayLeave())) {
        // Back has already changed the browser's address, so restore it.
        if (isReturn && request === latestRequest) history.pushState(null, '', guardedHref)
        return
      }
    }
    try {
      await loadCode(href)
    } catch {
      // A new release removed the chunk, or the network is down: native navigation handles both.
      if (request === latestRequest) location.assign(href)
      return
    }
    // The visitor has asked for another page in the meantime.
    if (request !== latestRequest) return
    changeHistory?.()
    publishLocation(isReturn)
  }

  return {
    pageLocation: store,
    navigate(href: Href, { replace = false } = {}) {
      void show(href, false, () => history[replace ? 'replaceState' : 'pushState'](null, '', href))
    },
    prefetch(href: string) {
      loadCode(href).catch(() => undefined)
    },
    askBeforeLeaving(mayLeave: () => Promise<boolean>) {
      leaveGuard = { guardedHref: location.href, mayLeave }
      return () => {
        leaveGuard = undefined
      }
    },
    listen() {
      const onPopState = () => void show(location.href, true)
      // Hydration is over, so the query may be added.
      if (location.search) publishLocation(false)
      addEventListener('popstate', onPopState)
      return () => removeEventListener('popstate', onPopState)
    },
  }
}

type LinkProps = ComponentProps<'a'> & { href: Href; replace?: boolean }

export function Link({ href, replace = false, onClick, children, ...rest }: LinkProps) {
  const { navigate, prefetch } = useNavigator()
  const prefetchPage = () => prefetch(href)
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    // Leave clicks with a modifier to the browser: they open a tab or window.
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey || defaultPrevented) return
    event.preventDefault()
    navigate(href, { replace })
  }
  return (
    <a href={href} onPointerEnter={prefetchPage} onFocus={prefetchPage} onClick={follow} {...rest}>
      {children}
    </a>
  )
}

/** Link to any address; pages of the shop load without a new document. */
export function AnyLink(props: ComponentProps<'a'> & { href: string }) {
  const Element = props.href.startsWith('/') ? Link : 'a'
  return <Element {...props} href={props.href as Href} />
}
