import { createContext, use } from 'react'
import type { SiteSettings } from '#contract/site/site-settings.ts'

const SettingsContext = createContext<SiteSettings | null>(null)

export const SettingsProvider = SettingsContext.Provider

export function useSettings(): SiteSettings {
  const settings = use(SettingsContext)
  if (!settings) throw Error('settings')
  return settings
}

/** What the list of symbols is called; the first product that has one names it. */
export const useListName = () => useSettings().products.find(({ list }) => list)?.list ?? 'list of symbols'

export function usePrices(slug: string) {
  const prices = useSettings().prices[slug]
  if (!prices) throw Error(slug)
  return prices
}

/** The server embeds the settings in every page as a data block. */
export function readSettings(): SiteSettings {
  return JSON.parse(document.getElementById('settings')?.textContent ?? '')
}
