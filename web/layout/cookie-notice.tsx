import { useEffect, useRef } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'

export function CookieNotice({ decide, reopened }: { decide: (granted: boolean) => void; reopened: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (reopened) heading.current?.focus()
  }, [reopened])

  return (
    <section
      aria-labelledby="cookie-notice"
      ref={padPage}
      className="cookie-banner fixed inset-x-3 bottom-3 z-40 mx-auto flex max-w-4xl animate-rise flex-col gap-4 rounded-lg border border-line bg-raised p-5 shadow-float max-md:gap-3 max-md:p-4 md:flex-row md:items-center md:gap-8"
    >
      <div className="flex flex-col gap-1.5 max-md:gap-0.5">
        <h2 ref={heading} id="cookie-notice" tabIndex={-1} className="text-base">
          Cookie Notice
        </h2>
        <p className="text-sm text-muted max-md:text-xs">
          We use cookies to enhance your browsing experience and analyze our traffic. By clicking "Accept All", you
          consent to our use of cookies. {/* Search engines follow the footer's link, which says where it leads. */}
          <Link href="/legal/privacy" rel="nofollow" className="font-medium text-ink underline underline-offset-3">
            Learn more
          </Link>
        </p>
      </div>
      <div className="grid shrink-0 grid-cols-2 gap-3">
        <Button variant="secondary" className="max-md:h-9" onClick={() => decide(true)}>
          Accept All
        </Button>
        <Button variant="secondary" className="max-md:h-9" onClick={() => decide(false)}>
          Reject All
        </Button>
      </div>
    </section>
  )
}

/** Pads the page while the banner is open, so that it covers nothing at the end of the page. */
function padPage(banner: HTMLElement | null) {
  if (!banner) return undefined
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => style.setProperty('--banner-height', `${banner.offsetHeight + 24}px`))
  observer.observe(banner)
  return () => {
    observer.disconnect()
    style.removeProperty('--banner-height')
  }
}
