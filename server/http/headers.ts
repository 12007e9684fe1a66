import type { Config } from '../config.ts'
import { cspReportPath } from './csp-reports.ts'

export type SecurityHeaders = {
  /** For pages, whose policy lets them load what a shop needs. */
  page(scriptHashes: string[], referrer: string): Record<string, string>
  /** For other answers, which load nothing and can't be framed. */
  other: Record<string, string>
}

export function securityHeaders(
  config: Pick<Config, 'secure' | 'production' | 'hstsSubdomains' | 'regionLookupUrl' | 'gaMeasurementId' | 'stripe'>,
): SecurityHeaders {
  const stripe = config.stripe !== undefined
  const analytics = config.gaMeasurementId !== null
  const common = {
    'x-content-type-options': 'nosniff',
    // Popups allowed: a wallet's window (Google Pay) must be able to answer the page that opened it.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': `camera=(), microphone=(), geolocation=(), payment=(self${stripe ? ' "https://js.stripe.com"' : ''})`,
    ...(config.secure && config.production
      ? { 'strict-transport-security': `max-age=63072000${config.hstsSubdomains ? '; includeSubDomains' : ''}` }
      : {}),
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
          ...(stripe ? ['https://js.stripe.com', 'https://*.js.stripe.com'] : []),
          ...(analytics ? ['https://www.googletagmanager.com'] : []),
        ],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:', ...(stripe ? ['https://*.stripe.com'] : [])],
        'font-src': ["'self'"],
        'connect-src': [
          "'self'",
          ...(config.regionLookupUrl ? [new URL(config.regionLookupUrl).origin] : []),
          ...(stripe ? ['https://api.stripe.com'] : []),
          ...(analytics ? ['https://*.google-analytics.com', 'https://*.analytics.google.com'] : []),
        ],
        'frame-src': [
          "'self'",
          ...(stripe ? ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'] : []),
        ],
        'manifest-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        // Stripe's and Google's scripts create elements in their own ways; all others are ours and can be held to it.
        ...(stripe || analytics ? {} : { 'require-trusted-types-for': ["'script'"], 'trusted-types': ['shop'] }),
        'frame-ancestors': ["'none'"],
        'report-uri': [cspReportPath],
        ...(config.secure ? { 'upgrade-insecure-requests': [] } : {}),
      }),
    }),
    other: {
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
