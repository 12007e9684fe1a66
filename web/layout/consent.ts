import { brand } from '#contract/brand.ts'

/** EU members and the United Kingdom. */
const consentRegions = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE GB'.split(' ')

const cookieDays = 365
const lookupTimeoutMs = 3000

export function readConsent(): boolean | null {
  const value = new RegExp(`(?:^|; )${brand.consentCookie}=(true|false)(?:;|$)`).exec(document.cookie)?.[1]
  return value ? value === 'true' : null
}

export function saveConsent(granted: boolean) {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  document.cookie = `${brand.consentCookie}=${granted}; path=/; max-age=${cookieDays * 86_400}; samesite=lax${secure}`
}

/** True if the law in the visitor's region requires consent, or if the region is unknown. */
export async function mustAskForConsent(lookupUrl: string | null): Promise<boolean> {
  if (!lookupUrl) return true
  try {
    const response = await fetch(lookupUrl, {
      signal: AbortSignal.timeout(lookupTimeoutMs),
      referrerPolicy: 'no-referrer',
      credentials: 'omit',
    })
    const lookup: { country_code?: unknown; error?: unknown } = await response.json()
    if (!response.ok || lookup.error || typeof lookup.country_code !== 'string') return true
    return consentRegions.includes(lookup.country_code)
  } catch {
    return true
  }
}

declare global {
  interface Window {
    dataLayer?: unknown[]
  }
}

/** Google's consent mode: all four signals are granted or denied together, and denied by default. */
export function signalConsent(granted: boolean | null) {
  if (!window.dataLayer) pushCommand('consent', 'default', consentSignals('denied'))
  if (granted !== null) pushCommand('consent', 'update', consentSignals(granted ? 'granted' : 'denied'))
}

function consentSignals(value: 'granted' | 'denied') {
  return { analytics_storage: value, ad_storage: value, ad_user_data: value, ad_personalization: value }
}

/** Google's script accepts commands only as an `arguments` object. */
const pushCommand: (...command: unknown[]) => void = function () {
  window.dataLayer ??= []
  window.dataLayer.push(arguments)
}

export function loadAnalytics(measurementId: string) {
  if (document.getElementById('analytics')) return
  pushCommand('js', new Date())
  pushCommand('config', measurementId)
  const script = document.createElement('script')
  script.id = 'analytics'
  script.async = true
  script.src = `https://www.googletagmanager.com/gtag/js?id=${encodeURIComponent(measurementId)}`
  document.head.append(script)
}
