import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { useSettings } from '#web/api/settings.tsx'
import type { Route } from '#web/router.tsx'
import { usePageLocation } from '#web/ui/navigation.tsx'

export function pageTitle(route: Route) {
  return route.path === '/' ? `${brand.name}: ${route.title}` : `${route.title} | ${brand.name}`
}

/** Sets title, canonical address, scroll position and focus after a navigation, and announces the page. */
export function PageChange({ route }: { route: Route }) {
  const { publicUrl } = useSettings()
  const pageLocation = usePageLocation()
  const [announcement, setAnnouncement] = useState('')
  const lastShown = useRef({ route, pageLocation })
  const scrollPositions = useRef(new Map<string, number>())

  useEffect(() => {
    const onScroll = () => scrollPositions.current.set(lastShown.current.pageLocation.pathname, scrollY)
    // The visitor may have scrolled before hydration.
    onScroll()
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])

  // A layout effect, because the next scroll event already belongs to the new page.
  useLayoutEffect(() => {
    const { beginsAtTop = false } = route
    // Browsers keep this setting with the history entry and apply it on a reload.
    history.scrollRestoration = beginsAtTop ? 'manual' : 'auto'
    const previousPage = lastShown.current
    lastShown.current = { route, pageLocation }
    if (previousPage.pageLocation === pageLocation) return

    const scrollToY = (top = 0) => scrollTo({ top, behavior: 'instant' })
    if (previousPage.pageLocation.pathname === pageLocation.pathname) {
      // On Back within the page, the browser restores the position itself, except with `beginsAtTop`.
      if (pageLocation.isReturn && !beginsAtTop) return
      if (pageLocation.isReturn) scrollToY()
      scrollToHash()
      return
    }

    if (previousPage.route !== route) {
      const title = pageTitle(route)
      // The admin area sets the titles of its own screens.
      if (!route.matchesLongerPaths) document.title = title
      setAnnouncement(title)
      const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')
      if (canonical && route.path !== '*') canonical.href = new URL(route.path, publicUrl).href
    }

    // Arrow keys between tabs keep the focus on the tabs.
    if (document.activeElement?.role !== 'tab')
      focusHeading(document.querySelector<HTMLElement>('main h1') ?? document.getElementById('main'))

    // On Back, the browser restored the position while the old page was still shown, so restore it again.
    if (pageLocation.isReturn && !beginsAtTop) scrollToY(scrollPositions.current.get(pageLocation.pathname))
    else {
      scrollToY()
      scrollToHash()
    }
  }, [route, pageLocation, publicUrl])

  return (
    <div aria-live="polite" className="sr-only">
      {announcement}
    </div>
  )
}

function focusHeading(heading: HTMLElement | null) {
  heading?.setAttribute('tabindex', '-1')
  heading?.focus({ preventScroll: true })
}

/** Scrolls to the element that the address's hash names. Waits up to 600 frames (10 s at 60 Hz) until it is rendered. */
function scrollToHash(framesLeft = 600) {
  const id = location.hash.slice(1)
  const target = id && document.getElementById(id)
  if (target) {
    target.scrollIntoView()
    focusHeading(target.querySelector('h2'))
  } else if (id && framesLeft) requestAnimationFrame(() => scrollToHash(framesLeft - 1))
}
