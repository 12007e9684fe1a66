/** What the pages need to know of the configuration. Public: it stands in every page. */
export type SiteSettings = {
  publicUrl: string
  supportEmail: string
  /** True while the sandbox serves: every page then shows a ribbon. */
  testMode: boolean
  stripe: { publishableKey: string; scriptUrl: string }
  regionLookupUrl: string
  gaMeasurementId: string | null
  seller: {
    name: string
    street: string
    city: string
    country: string
    phone: string
    register: string
    vatId: string
  }
}

/** What the web build gives to the server: every page of the site as HTML for the given settings. */
export type RenderedPage = {
  /** `/about`, or `*` for the not-found page. */
  path: string
  html: string
  /** Scripts that stand in the HTML itself, as CSP sources like `'sha256-…'`. */
  scriptHashes: string[]
  /** Addresses with a secret in them must not travel as referrer. */
  referrer: 'strict-origin-when-cross-origin' | 'no-referrer'
}
export type RenderPages = (
  settings: SiteSettings,
) => Promise<{ pages: RenderedPage[]; files: { path: string; type: string; body: string }[] }>
