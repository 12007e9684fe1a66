/** Stored with every order, and shown as the date of the last change. Raise it when a sentence in terms.ts changes. */
export const termsVersion = '2026-11-17'
