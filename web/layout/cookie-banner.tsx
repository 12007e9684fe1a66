import { useEffect, useRef } from 'react'
import { useSettings } from '#web/api/settings.tsx'
import { Button } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { createStore } from '#web/ui/store.ts'
import { loadAnalytics, mustAsk, saveConsent, savedConsent, signalConsent } from './consent.ts'

type Consent = { granted: boolean | null; bannerOpen: boolean; reopened?: boolean }

const store = createStore<Consent>()

function set(consent: Consent) {
  signalConsent(consent.granted)
  store.set(consent)
}

export function openCookieSettings() {
  store.set({ granted: store.get()?.granted ?? null, bannerOpen: true, reopened: true })
}

async function findOut(regionLookupUrl: string | null) {
  const saved = savedConsent()
  set({ granted: saved, bannerOpen: false })
  if (saved !== null) return
  const ask = await mustAsk(regionLookupUrl)
  // The visitor may have decided in the meantime.
  if (store.get()?.granted === null) set({ granted: ask ? null : true, bannerOpen: ask })
}

function decide(granted: boolean) {
  saveConsent(granted)
  set({ granted, bannerOpen: false })
}

/** The seller may hide the banner where nothing needs consent. */
export function useBannerNeeded() {
  const { cookieBanner, gaMeasurementId } = useSettings()
  return cookieBanner === 'always' || gaMeasurementId !== null
}

/** Asks visitors in regulated regions for consent. `sensitive` pages never load analytics. */
export function CookieBanner({ sensitive }: { sensitive: boolean }) {
  const { regionLookupUrl, gaMeasurementId } = useSettings()
  const isNeeded = useBannerNeeded()
  const consent = store.useValue()
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    if (isNeeded) void findOut(regionLookupUrl)
  }, [isNeeded, regionLookupUrl])

  const mayMeasure = consent?.granted === true && !sensitive
  useEffect(() => {
    if (mayMeasure && gaMeasurementId) loadAnalytics(gaMeasurementId)
  }, [mayMeasure, gaMeasurementId])

  const reopened = consent?.reopened
  useEffect(() => {
    if (reopened) heading.current?.focus()
  }, [reopened])

  if (!consent?.bannerOpen) return null

  return (
    <section
      aria-labelledby="cookie-notice"
      className="cookie-banner fixed inset-x-3 bottom-3 z-40 mx-auto flex max-w-4xl animate-rise flex-col gap-4 rounded-lg border border-line bg-raised p-5 shadow-float md:flex-row md:items-center md:gap-8"
    >
      <div className="flex flex-col gap-1.5">
        <h2 ref={heading} id="cookie-notice" tabIndex={-1} className="text-base">
          Cookie Notice
        </h2>
        <p className="text-sm text-muted">
          We use cookies to enhance your browsing experience and analyze our traffic. By clicking "Accept
          All", you consent to our use of cookies.{' '}
          <Link href="/legal/privacy" className="font-medium text-ink underline underline-offset-3">
            Learn more
          </Link>
        </p>
      </div>
      <div className="grid shrink-0 grid-cols-2 gap-3">
        <Button variant="secondary" onClick={() => decide(true)}>
          Accept All
        </Button>
        <Button variant="secondary" onClick={() => decide(false)}>
          Reject All
        </Button>
      </div>
    </section>
  )
}
