import type { BillingType } from '../plans.ts'
import type { Seller } from '../seller.ts'
import type { TermsVersion } from '../selling/legal/in-force.ts'
import type { ListedProduct, ProductText } from '../selling/product.ts'
import type { Review } from './reviews.ts'

/** Prices of a new subscription in cents, by slug and plan. `regular` is only shown beside `amount`. */
export type PricesByProduct = Record<string, Partial<Record<BillingType, { amount: number; regular: number | null }>>>

/** Configuration for pages. It is embedded in every page, so it is public. */
export type SiteSettings = {
  publicUrl: string
  supportEmail: string
  /** False with Stripe. With the sandbox, every page shows a ribbon, and visitors can open the sandbox's own pages if `open`. */
  testMode: false | 'open' | 'closed'
  stripe: { publishableKey: string; scriptUrl: string }
  /** Service that returns a visitor's region; null shows the cookie banner to everyone instead. */
  regionLookupUrl: string | null
  cookieBanner: 'always' | 'if-needed'
  consumerLaw: 'eu' | 'none'
  gaMeasurementId: string | null
  askExchangeKeys: boolean
  /** `byStars` has the number with one star, two stars, and so on. */
  reviews: { count: number; average: number; byStars: number[] }
  /** Products on sale in the seller's order, then coming products. */
  products: [ListedProduct, ...ListedProduct[]]
  /** Null if the seller names no maker; `photo` is a path on this site. */
  maker: { name: string; sentence: string; more: string; link: string; photo: string | null } | null
  /** Medians of the last 30 days; null with too little data, or if the seller shows no figures. */
  figures: { secondsToUnlock: number | null; secondsToAnswer: number | null }
  /** `stripe`: Stripe computes the tax. `note` is the seller's sentence about tax. */
  tax: { mode: 'none' | 'stripe'; note: string }
  seller: Seller
  prices: PricesByProduct
}

export type RenderData = SiteSettings & {
  texts: Record<string, ProductText>
  terms: TermsVersion
  latestReviews: { items: Review[]; next?: string | undefined }
}

/** Result of a form that was posted without scripts. */
export type FormAnswer = {
  message: string
  isRefusal: boolean
  /** Address of the page. It replaces the address of the call in the browser once scripts run. */
  address: string
  /** The form to fill again after a refusal, without passwords; null after success. */
  refused: { action: string; values: Record<string, string> } | null
}

export type RenderedPage = {
  /** `/about`, or `*` for the not-found page. */
  path: string
  /** Other paths of the page; `:id` matches one path segment. */
  alsoAt?: string[]
  html: string
  /** Inline scripts, as CSP sources like `'sha256-…'`. */
  scriptHashes: string[]
  /** `no-referrer` for pages whose address contains a secret. */
  referrer: 'strict-origin-when-cross-origin' | 'no-referrer'
}
export type RenderPages = (
  data: RenderData,
) => Promise<{ pages: RenderedPage[]; files: { path: string; type: string; body: string }[] }>
/** Renders one page with the result of a form, otherwise like the prerendered page. */
export type RenderAnswer = (data: RenderData, path: string, answer: FormAnswer) => Promise<string>
