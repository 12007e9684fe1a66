import file from '#content/brand.json' with { type: 'json' }

/** The seller's `content/brand.json`. The build fails if a value is missing. */
export const brand = { ...file, consentCookie: 'bsl_cookie_consent' } as const
