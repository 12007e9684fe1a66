import { createContext, use } from 'react'
import { type BillingType, plans, plansWithPrice } from '#contract/plans.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'

const SettingsContext = createContext<SiteSettings | null>(null)

export const SettingsProvider = SettingsContext.Provider

export function useSettings(): SiteSettings {
  const settings = use(SettingsContext)
  if (!settings) throw Error('useSettings needs a SettingsProvider')
  return settings
}

export const useListName = () => useSettings().products.find(({ list }) => list)?.list ?? 'list of symbols'

const plansOf = (prices: SiteSettings['prices'][string] = {}) =>
  plansWithPrice(prices).map(({ price, ...plan }) => ({ ...plan, ...price }))

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

/** Plans that at least one product sells. */
export function useSoldPlans() {
  const pricesOfProducts = Object.values(useSettings().prices)
  return plans.filter(({ key }) => pricesOfProducts.some((prices) => prices[key] !== undefined))
}

export function readSettings(): SiteSettings {
  return JSON.parse(document.getElementById('settings')?.textContent ?? '')
}
