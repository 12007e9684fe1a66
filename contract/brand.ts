export const brand = {
  name: 'Rebound Sigma',
  tagline: 'Professional indicators for rule-based entries and exits. Built for execution, not noise.',
  consentCookie: 'bsl_cookie_consent',
} as const
