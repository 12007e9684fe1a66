import { brand } from '#contract/brand.ts'
import type { SiteSettings } from '#contract/site.ts'
import type { Route } from './router.tsx'

export type StructuredData = { '@type': string; [property: string]: unknown }

/** JSON-LD for search engines: who sells, where the page stands, and on the product page what it costs. */
export function structuredDataFor(route: Route, settings: SiteSettings): StructuredData[] {
  if (!route.indexable) return []
  const absolute = (path: string) => new URL(path, settings.publicUrl).href
  const organization = {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name: brand.name,
    url: absolute('/'),
    logo: absolute('/icon-512.png'),
    email: settings.supportEmail,
  }
  return [organization]
}
