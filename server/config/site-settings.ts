import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { SiteSettings } from '#contract/site.ts'
import type { Config } from '../config.ts'
import type { Payments } from '../gateways/payments.ts'

/** What the pages show of the configuration. */
export function siteSettings(config: Config, payments: Payments): SiteSettings {
  const { publicUrl, supportEmail, regionLookupUrl, cookieBanner, gaMeasurementId } = config
  const { seller, consumerLaw, tax, askExchangeKeys, maker } = config
  const photo = maker.photo ? `/maker${extname(maker.photo).toLowerCase()}` : null
  return {
    askExchangeKeys,
    reviews: { count: 0, average: 0 },
    seatsAreLimited: false,
    maker: maker.name ? { name: maker.name, sentence: maker.sentence, photo } : null,
    publicUrl,
    supportEmail,
    testMode: payments.sandbox !== undefined,
    stripe: payments.settings,
    regionLookupUrl,
    cookieBanner,
    consumerLaw,
    tax,
    gaMeasurementId,
    seller,
  }
}

/** The maker's picture comes from the seller's disk, not from the build. */
export function photoOf({ maker }: Config, settings: SiteSettings) {
  const path = settings.maker?.photo
  return path && maker.photo ? [{ path, body: readFileSync(maker.photo) }] : []
}
