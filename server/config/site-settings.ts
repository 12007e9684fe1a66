import type { Seller } from '#contract/seller.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import type { Config } from '../config.ts'
import type { Payments } from '../gateways/payments.ts'

/** What the seller may change while the shop runs. */
type Live = {
  seller: Seller
  supportEmail: string
  maker: { name: string; sentence: string; photo: { path: string } | null }
}

/** What the pages show of the configuration. */
export function siteSettings(config: Config, live: Live, payments: Payments): Omit<SiteSettings, 'products'> {
  const { publicUrl, regionLookupUrl, cookieBanner, gaMeasurementId } = config
  const { consumerLaw, tax, askExchangeKeys } = config
  const { seller, supportEmail, maker } = live
  return {
    askExchangeKeys,
    reviews: { count: 0, average: 0, byStars: [] },
    seatsAreLimited: false,
    unlocksItself: false,
    maker: maker.name
      ? { name: maker.name, sentence: maker.sentence, photo: maker.photo?.path ?? null }
      : null,
    publicUrl,
    supportEmail,
    testMode: payments.sandbox !== undefined && (config.production ? 'closed' : 'open'),
    stripe: payments.settings,
    regionLookupUrl,
    cookieBanner,
    consumerLaw,
    tax,
    gaMeasurementId,
    seller,
    prices: {},
  }
}
