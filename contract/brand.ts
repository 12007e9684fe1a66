import file from '#content/brand.json' with { type: 'json' }

/** The seller's `content/brand.json`; the build refuses one that is incomplete. */
export const brand = { ...file, consentCookie: 'bsl_cookie_consent' } as const
