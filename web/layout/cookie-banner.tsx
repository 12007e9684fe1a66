import { useEffect } from 'react'
import { useSettings } from '#web/api/settings.tsx'
import { createStore, useStore } from '#web/ui/store.ts'
import { loadAnalytics, mustAsk, saveConsent, savedConsent, signalConsent } from './consent.ts'
import { CookieNotice } from './cookie-notice.tsx'

type Consent = { granted: boolean | null; bannerOpen: boolean; reopened?: boolean }

const store = createStore<Consent | null>(null)

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
  const consent = useStore(store)

  useEffect(() => {
    if (isNeeded) void findOut(regionLookupUrl)
  }, [isNeeded, regionLookupUrl])

  const mayMeasure = consent?.granted === true && !sensitive
  useEffect(() => {
    if (mayMeasure && gaMeasurementId) loadAnalytics(gaMeasurementId)
  }, [mayMeasure, gaMeasurementId])

  return consent?.bannerOpen && <CookieNotice decide={decide} reopened={consent.reopened === true} />
}
