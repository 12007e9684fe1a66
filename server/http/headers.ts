import type { Config } from '../config.ts'
import { cspReportPath } from './csp-reports.ts'

export type SecurityHeaders = {
  page(scriptHashes: string[], referrer: string): Record<string, string>
  /** For answers that load nothing and can't be framed. */
  nonPage: Record<string, string>
}

export function securityHeaders(
  config: Pick<Config, 'secure' | 'production' | 'hstsSubdomains' | 'regionLookupUrl' | 'gaMeasurementId' | 'stripe'>,
): SecurityHeaders {
  const usesStripe = config.stripe !== undefined
  const usesAnalytics = config.gaMeasurementId !== null
  const ifStripe = (...sources: string[]) => (usesStripe ? sources : [])
  const ifAnalytics = (...sources: string[]) => (usesAnalytics ? sources : [])
  const regionLookup = config.regionLookupUrl ? [new URL(config.regionLookupUrl).origin] : []
  const strictTransport = {
    'strict-transport-security': `max-age=63072000${config.hstsSubdomains ? '; includeSubDomains' : ''}`,
  }
  const common = {
    'x-content-type-options': 'nosniff',
    // Popups allowed: a wallet's window (Google Pay) must be able to answer the page that opened it.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': `camera=(), microphone=(), geolocation=(), payment=(self${usesStripe ? ' "https://js.stripe.com"' : ''})`,
    ...(config.secure && config.production ? strictTransport : {}),
  }
  return {
    page: (scriptHashes, referrer) => ({
      ...common,
      'referrer-policy': referrer,
      'content-security-policy': policy({
        'default-src': ["'none'"],
        'script-src': [
          "'self'",
          ...scriptHashes,
          ...ifStripe('https://js.stripe.com', 'https://*.js.stripe.com'),
          ...ifAnalytics('https://www.googletagmanager.com'),
        ],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:', ...ifStripe('https://*.stripe.com')],
        'font-src': ["'self'"],
        'connect-src': [
          "'self'",
          ...regionLookup,
          ...ifStripe('https://api.stripe.com'),
          ...ifAnalytics('https://*.google-analytics.com', 'https://*.analytics.google.com'),
        ],
        'frame-src': [
          "'self'",
          ...ifStripe('https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'),
        ],
        'manifest-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        // Scripts of Stripe and Google create elements in ways that Trusted Types would forbid.
        ...(usesStripe || usesAnalytics
          ? {}
          : { 'require-trusted-types-for': ["'script'"], 'trusted-types': ['shop'] }),
        'frame-ancestors': ["'none'"],
        'report-uri': [cspReportPath],
        ...(config.secure ? { 'upgrade-insecure-requests': [] } : {}),
      }),
    }),
    nonPage: {
      ...common,
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  }
}

const policy = (directives: Record<string, string[]>) =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ')
