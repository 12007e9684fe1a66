import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { useSettings } from '#web/api/settings.tsx'
import type { Route } from '#web/router.tsx'
import { usePlace } from '#web/ui/navigation.tsx'

export function pageTitle(route: Route) {
  return route.path === '/' ? `${brand.name}: ${route.title}` : `${route.title} | ${brand.name}`
}

/** Sets title, canonical address, scroll position and focus after a navigation, and announces the page. */
export function PageChange({ route }: { route: Route }) {
  const { publicUrl } = useSettings()
  const place = usePlace()
  const [announcement, setAnnouncement] = useState('')
  const shown = useRef({ route, place })
  const positions = useRef(new Map<string, number>())

  useEffect(() => {
    const onScroll = () => positions.current.set(shown.current.place.pathname, scrollY)
    // The visitor may have scrolled before hydration.
    onScroll()
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])

  // Read before the next scroll event, which belongs to the new page.
  useLayoutEffect(() => {
    const { beginsAtTop = false } = route
    // Stored in the history entry, for a reload.
    history.scrollRestoration = beginsAtTop ? 'manual' : 'auto'
    const before = shown.current
    shown.current = { route, place }
    if (before.place === place) return
    const toTop = (top = 0) => scrollTo({ top, behavior: 'instant' })
    if (before.place.pathname === place.pathname) {
      // Back after a jump inside the page.
      if (place.isReturn && beginsAtTop) toTop()
      if (!place.isReturn || beginsAtTop) reach()
      return
    }
    if (before.route !== route) {
      const title = pageTitle(route)
      // The admin area sets the titles of its own screens.
      if (!route.below) document.title = title
      setAnnouncement(title)
      const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')
      if (canonical && route.path !== '*') canonical.href = new URL(route.path, publicUrl).href
    }
    // Arrow keys between tabs keep the focus on the tabs.
    if (document.activeElement?.role !== 'tab')
      focus(document.querySelector<HTMLElement>('main h1') ?? document.getElementById('main'))
    // On Back, the browser restores the position while the old page is still shown.
    if (place.isReturn && !beginsAtTop) toTop(positions.current.get(place.pathname))
    else {
      toTop()
      reach()
    }
  }, [route, place, publicUrl])

  return (
    <div aria-live="polite" className="sr-only">
      {announcement}
    </div>
  )
}

function focus(heading: HTMLElement | null) {
  heading?.setAttribute('tabindex', '-1')
  heading?.focus({ preventScroll: true })
}

/** Scrolls to the element named by the address's hash, once rendered. */
function reach(framesLeft = 600) {
  const id = location.hash.slice(1)
  const target = id && document.getElementById(id)
  if (target) {
    target.scrollIntoView()
    focus(target.querySelector('h2'))
  } else if (id && framesLeft) requestAnimationFrame(() => reach(framesLeft - 1))
}
