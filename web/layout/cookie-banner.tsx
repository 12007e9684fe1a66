import { useEffect } from 'react'
import { useSettings } from '#web/api/settings.tsx'
import { createStore, useStore } from '#web/ui/store.ts'
import { loadAnalytics, mustAskForConsent, readConsent, saveConsent, signalConsent } from './consent.ts'
import { CookieNotice } from './cookie-notice.tsx'

/** `granted` is null until the visitor decides. */
type Consent = { granted: boolean | null; bannerOpen: boolean; reopened?: boolean }

const store = createStore<Consent | null>(null)

function updateConsent(consent: Consent) {
  signalConsent(consent.granted)
  store.set(consent)
}

export function openCookieSettings() {
  store.set({ granted: store.get()?.granted ?? null, bannerOpen: true, reopened: true })
}

async function loadConsent(regionLookupUrl: string | null) {
  const savedConsent = readConsent()
  updateConsent({ granted: savedConsent, bannerOpen: false })
  if (savedConsent !== null) return
  const mustAsk = await mustAskForConsent(regionLookupUrl)
  const current = store.get()
  // During the lookup, the visitor has decided, or has opened the settings to decide.
  if (current?.granted !== null || current.bannerOpen) return
  updateConsent({ granted: mustAsk ? null : true, bannerOpen: mustAsk })
}

function saveDecision(granted: boolean) {
  saveConsent(granted)
  updateConsent({ granted, bannerOpen: false })
}

/** The seller may hide the banner where nothing needs consent. */
export function useBannerNeeded() {
  const { cookieBanner, gaMeasurementId } = useSettings()
  return cookieBanner === 'always' || gaMeasurementId !== null
}

/** Asks visitors in regulated regions for consent. Sensitive pages never load analytics. */
export function CookieBanner({ isSensitive }: { isSensitive: boolean }) {
  const { regionLookupUrl, gaMeasurementId } = useSettings()
  const isNeeded = useBannerNeeded()
  const consent = useStore(store)

  useEffect(() => {
    if (isNeeded) void loadConsent(regionLookupUrl)
  }, [isNeeded, regionLookupUrl])

  const mayMeasure = consent?.granted === true && !isSensitive
  useEffect(() => {
    if (mayMeasure && gaMeasurementId) loadAnalytics(gaMeasurementId)
  }, [mayMeasure, gaMeasurementId])

  return consent?.bannerOpen && <CookieNotice decide={saveDecision} reopened={consent.reopened === true} />
}
