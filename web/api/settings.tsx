import { createContext, use } from 'react'
import { type BillingType, plansWithPrice } from '#contract/plans.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'

const SettingsContext = createContext<SiteSettings | null>(null)

export const SettingsProvider = SettingsContext.Provider

export function useSettings(): SiteSettings {
  const settings = use(SettingsContext)
  if (!settings) throw Error('useSettings needs a SettingsProvider')
  return settings
}

/** Returns the name of the list of symbols, from the first product that has one. */
export const useListName = () => useSettings().products.find(({ list }) => list)?.list ?? 'list of symbols'

const plansOf = (prices: SiteSettings['prices'][string] = {}) =>
  plansWithPrice(prices).map(({ price, ...plan }) => ({ ...plan, ...price }))

/** Returns a product's plans with their prices, shortest first. */
export function usePlans(slug: string) {
  const [first, ...others] = plansOf(useSettings().prices[slug])
  if (!first) throw Error(`No plans for ${slug}`)
  return [first, ...others] as const
}

export function usePlan(slug: string, billing: BillingType) {
  const plan = usePlans(slug).find(({ key }) => key === billing)
  if (!plan) throw Error(`${slug} has no plan ${billing}`)
  return plan
}

/** Returns the plans that at least one product sells. The prices are of any of these products. */
export function useSoldPlans() {
  const { prices } = useSettings()
  const mergedPrices: SiteSettings['prices'][string] = Object.assign({}, ...Object.values(prices))
  return plansOf(mergedPrices)
}

/** The server embeds the settings in every page as a data block. */
export function readSettings(): SiteSettings {
  return JSON.parse(document.getElementById('settings')?.textContent ?? '')
}
