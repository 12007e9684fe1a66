import file from '#content/brand.json' with { type: 'json' }

/** The build fails if `content/brand.json` lacks a value. */
export const brand = { ...file, consentCookie: 'bsl_cookie_consent' } as const
