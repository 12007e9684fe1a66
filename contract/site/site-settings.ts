import type { BillingType } from '../plans.ts'
import type { Seller } from '../seller.ts'
import type { TermsVersion } from '../selling/legal/in-force.ts'
import type { ListedProduct, ProductText } from '../selling/product.ts'
import type { Review } from './reviews.ts'

/** Prices of a new subscription in cents, by the product's slug and plan. The regular price is only shown beside it. */
export type PricesByProduct = Record<string, Partial<Record<BillingType, { amount: number; regular: number | null }>>>

/** The configuration that pages need. It is embedded in every page, so it is public. */
export type SiteSettings = {
  publicUrl: string
  supportEmail: string
  /** When the sandbox replaces Stripe, every page shows a ribbon; its own pages are open outside production only. */
  testMode: false | 'open' | 'closed'
  stripe: { publishableKey: string; scriptUrl: string }
  /** Null asks everyone about cookies instead of asking a third party where they are. */
  regionLookupUrl: string | null
  cookieBanner: 'always' | 'if-needed'
  consumerLaw: 'eu' | 'none'
  gaMeasurementId: string | null
  askExchangeKeys: boolean
  /** Verified reviews so far: how many, their average, and how many gave one star, two, and so on. */
  reviews: { count: number; average: number; byStars: number[] }
  /** Products on sale first, in the seller's order; then coming ones. */
  products: [ListedProduct, ...ListedProduct[]]
  /** Maker of the product, if the seller names one; `photo` is a path on this site. */
  maker: { name: string; sentence: string; more: string; link: string; photo: string | null } | null
  /** Medians of the last 30 days, in seconds; null where there are too few, or the seller shows none. */
  figures: { secondsToUnlock: number | null; secondsToAnswer: number | null }
  /** Tax mode, and the seller's sentence about tax. */
  tax: { mode: 'none' | 'stripe'; note: string }
  seller: Seller
  prices: PricesByProduct
}

/** Data that pages render: settings embedded in every page, and lists that one page shows. */
export type RenderData = SiteSettings & {
  texts: Record<string, ProductText>
  terms: TermsVersion
  latestReviews: { items: Review[]; next?: string | undefined }
}

/** The outcome of a form that was posted without scripts. */
export type FormAnswer = {
  message: string
  isRefusal: boolean
  /** The page's address, which replaces the call's address once scripts run. */
  address: string
  /** The refused form and what was typed into it, without passwords. */
  refused: { action: string; values: Record<string, string> } | null
}

/** Renders every page of the site as HTML for the given settings. */
export type RenderedPage = {
  /** `/about`, or `*` for the not-found page. */
  path: string
  /** Other addresses that show the page; `:id` is any one part. */
  alsoAt?: string[]
  html: string
  /** Inline scripts, as CSP sources like `'sha256-…'`. */
  scriptHashes: string[]
  /** URLs that contain a secret must not leak as a referrer. */
  referrer: 'strict-origin-when-cross-origin' | 'no-referrer'
}
export type RenderPages = (
  shown: RenderData,
) => Promise<{ pages: RenderedPage[]; files: { path: string; type: string; body: string }[] }>
/** Renders one page that answers a form; the HTML differs from the prerendered page only in the answer. */
export type RenderAnswer = (shown: RenderData, path: string, answer: FormAnswer) => Promise<string>
