import { useEffect, useLayoutEffect, useRef } from 'react'
import { brand } from '#contract/brand.ts'
import { useNavigation } from '#web/ui/navigation.tsx'

const positions = new Map<string, number>()

function setTitle(name: string) {
  document.title = `${name} | Admin | ${brand.name}`
}

/** A record's own name as the title, so that two open ones can be told apart. */
export function useTitle(name: string | undefined) {
  useEffect(() => {
    if (name) setTitle(name)
  }, [name])
}

/** On another screen: its title, where it was scrolled to, and focus on its heading. */
export function useArrival(name: string) {
  const { pathname, isReturn } = useNavigation()
  const shown = useRef(pathname)
  // Before the screen itself, which may know better, gets its turn.
  useLayoutEffect(() => setTitle(name), [name])
  useEffect(() => {
    const onScroll = () => positions.set(shown.current, scrollY)
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])
  useLayoutEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    // Whoever walks through the tabs with the arrow keys stays on them.
    if (document.activeElement?.role !== 'tab')
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    scrollTo({ top: isReturn ? (positions.get(pathname) ?? 0) : 0, behavior: 'instant' })
  }, [pathname, isReturn])
}
