/** English name of each ISO 3166-1 code; an unknown code names itself. */
export const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })
