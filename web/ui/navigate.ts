import { navigate } from 'wouter/use-browser-location'
import { loadPage, notFound, type Route, routeFor } from '#web/router.tsx'

let wishes = 0

/**
 * Goes to another page of the site once its code is there; until then the visitor keeps the present page.
 * Whoever asks for yet another page meanwhile gets that one: the last wish counts.
 */
export async function goTo(href: string, { replace = false, after = 0 } = {}) {
  const wish = ++wishes
  const moment = new Promise((resolve) => setTimeout(resolve, after))
  const there = routeFor(new URL(href, location.href).pathname)
  const [loaded] = await Promise.all([loadPage(there).catch(() => null), loadHere()])
  if (after) await moment
  if (wish !== wishes) return
  if (loaded) navigate(href, { replace })
  // The chunk is gone after a new release, or the network is: the browser's own navigation copes with both.
  else location.assign(href)
}

/** Whoever goes back finds the page they left at once, also if it was left as the server wrote it. */
const loadHere = () => loadPage(routeFor(location.pathname)).catch(() => undefined)

/**
 * Links to other pages of the site are followed without a reload, and the code of their page comes when the pointer
 * or the focus does. By listeners of the document, so that links work where React has taken nothing over (AsWritten).
 */
export function watchLinks() {
  const prefetch = ({ target }: Event) => {
    const found = insideLink(target)
    if (!found) return
    void loadPage(found.route).catch(() => undefined)
    void loadHere()
  }
  document.addEventListener('pointerover', prefetch, { passive: true })
  document.addEventListener('focusin', prefetch, { passive: true })
  document.addEventListener('click', (event) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    const found = insideLink(event.target)
    if (!found || !plain || event.defaultPrevented) return
    event.preventDefault()
    void goTo(found.link.getAttribute('href') ?? '')
  })
}

function insideLink(target: EventTarget | null): { link: HTMLAnchorElement; route: Route } | undefined {
  const link = (target as Partial<Element> | null)?.closest?.<HTMLAnchorElement>('a[href]')
  if (!link || link.origin !== location.origin || link.target || link.download) return undefined
  // A place on this very page is the browser's business.
  if (link.hash && link.pathname === location.pathname && link.search === location.search) return undefined
  const route = routeFor(link.pathname)
  return route === notFound ? undefined : { link, route }
}
