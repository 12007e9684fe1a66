import type { ComponentProps, MouseEvent } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { loadPage, routeFor } from '#web/router.tsx'

let wishes = 0

/**
 * Goes to another page of the site once its code is there; until then the visitor keeps the present page.
 * Whoever asks for yet another page meanwhile gets that one: the last wish counts.
 */
export async function goTo(href: string, { replace = false, after = 0 } = {}) {
  const wish = ++wishes
  const moment = new Promise((resolve) => setTimeout(resolve, after))
  const loaded = await loadPage(routeFor(pathOf(href))).catch(() => null)
  if (after) await moment
  if (wish !== wishes) return
  if (loaded) navigate(href, { replace })
  // The chunk is gone after a new release, or the network is: the browser's own navigation copes with both.
  else location.assign(href)
}

/** A link inside the site: prefetches the code of its page, navigates without a reload. */
export function Link({ href, onClick, children, ...rest }: ComponentProps<'a'> & { href: string }) {
  const prefetch = () => void loadPage(routeFor(pathOf(href))).catch(() => undefined)
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !plain || href.startsWith('#')) return
    event.preventDefault()
    void goTo(href)
  }
  return (
    <a href={href} onPointerEnter={prefetch} onFocus={prefetch} onClick={click} {...rest}>
      {children}
    </a>
  )
}

function pathOf(href: string) {
  return new URL(href, location.href).pathname
}
