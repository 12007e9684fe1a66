import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { useSettings } from '#web/api/settings.tsx'
import type { Route } from '#web/router.tsx'
import { usePlace } from '#web/ui/navigation.tsx'

export function pageTitle(route: Route) {
  return route.path === '/' ? `${brand.name}: ${route.title}` : `${route.title} | ${brand.name}`
}

/** After a navigation: title and canonical address, scroll position, focus on the heading, and an announcement. */
export function PageChange({ route }: { route: Route }) {
  const { publicUrl } = useSettings()
  const place = usePlace()
  const [announcement, setAnnouncement] = useState('')
  const shown = useRef({ route, place })
  const positions = useRef(new Map<string, number>())

  useEffect(() => {
    const onScroll = () => positions.current.set(shown.current.place.pathname, scrollY)
    // A quick visitor has scrolled before this page was hydrated.
    onScroll()
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])

  // Before the next scroll event, which belongs to the new page already.
  useLayoutEffect(() => {
    const { beginsAtTop = false } = route
    // The browser keeps this with the place in the history, and asks it on a reload.
    history.scrollRestoration = beginsAtTop ? 'manual' : 'auto'
    const before = shown.current
    shown.current = { route, place }
    if (before.place === place) return
    const toTop = (top = 0) => scrollTo({ top, behavior: 'instant' })
    if (before.place.pathname === place.pathname) {
      // Back from a jump inside the page.
      if (place.isReturn && beginsAtTop) toTop()
      if (!place.isReturn || beginsAtTop) reach()
      return
    }
    if (before.route !== route) {
      const title = pageTitle(route)
      // A page with screens of its own has their title already.
      if (!route.below) document.title = title
      setAnnouncement(title)
      const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')
      if (canonical && route.path !== '*') canonical.href = new URL(route.path, publicUrl).href
    }
    // Somebody who walks through tabs with the arrow keys stays on them.
    if (document.activeElement?.role !== 'tab')
      focus(document.querySelector<HTMLElement>('main h1') ?? document.getElementById('main'))
    // Going back, the browser tries to restore the position while the old page is still there.
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

/** What the address names within the page, once it is there. */
function reach(framesLeft = 600) {
  const id = location.hash.slice(1)
  const target = id && document.getElementById(id)
  if (target) {
    // What is laid out later has its true height on the way there.
    document.documentElement.classList.add('whole')
    target.scrollIntoView()
    focus(target.querySelector('h2'))
  } else if (id && framesLeft) requestAnimationFrame(() => reach(framesLeft - 1))
}
