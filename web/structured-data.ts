import { brand } from '#contract/brand.ts'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { questions } from '#web/features/site/products/rebound-sigma-pro.ts'
import { descriptionOf } from './descriptions.ts'
import { type Route, routes } from './router.tsx'

export type StructuredData = { '@type': string; [property: string]: unknown }

/** JSON-LD for search engines: the seller, the page's place on the site, and the product's price. */
export function structuredDataFor(route: Route, settings: SiteSettings): StructuredData[] {
  if (!route.indexable) return []
  const absolute = (path: string) => new URL(path, settings.publicUrl).href
  const parts: StructuredData[] = [organization(absolute, settings), breadcrumbs(absolute, route)]
  if (route.path === `/products/${reboundSigmaPro.slug}`)
    parts.push(product(absolute, route, settings), faq())
  return parts.map((part) => ({ '@context': 'https://schema.org', ...part }))
}

type Absolute = (path: string) => string

function organization(absolute: Absolute, { supportEmail, seller }: SiteSettings) {
  return {
    '@type': 'Organization',
    name: brand.name,
    ...(seller.name ? { legalName: seller.name } : {}),
    url: absolute('/'),
    logo: absolute('/icon-512.png'),
    email: supportEmail,
  }
}

function breadcrumbs(absolute: Absolute, route: Route) {
  const trail = routes.filter(
    ({ path }) => path === '/' || route.path === path || route.path.startsWith(`${path}/`),
  )
  return {
    '@type': 'BreadcrumbList',
    itemListElement: trail.map(({ path, title }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: path === '/' ? 'Home' : title,
      item: absolute(path),
    })),
  }
}

function product(absolute: Absolute, route: Route, { reviews: { count, average }, prices }: SiteSettings) {
  const { monthly = 0, yearly = 0 } = prices[reboundSigmaPro.slug] ?? {}
  const offer = (name: string, cents: number, unitCode: 'MON' | 'ANN', billing: string) => ({
    '@type': 'Offer',
    name,
    price: (cents / 100).toFixed(2),
    priceCurrency: 'USD',
    availability: 'https://schema.org/InStock',
    url: absolute(`/checkout?product=${reboundSigmaPro.slug}&billing=${billing}`),
    priceSpecification: {
      '@type': 'UnitPriceSpecification',
      price: (cents / 100).toFixed(2),
      priceCurrency: 'USD',
      referenceQuantity: { '@type': 'QuantitativeValue', value: 1, unitCode },
    },
  })
  return {
    '@type': 'Product',
    name: reboundSigmaPro.name,
    description: descriptionOf(route),
    image: absolute('/og/rebound-sigma-pro.png'),
    brand: { '@type': 'Brand', name: brand.name },
    ...(count > 0
      ? {
          aggregateRating: {
            '@type': 'AggregateRating',
            ratingValue: average.toFixed(1),
            reviewCount: count,
          },
        }
      : {}),
    offers: [
      offer('Monthly subscription', monthly, 'MON', 'monthly'),
      offer('Yearly subscription', yearly, 'ANN', 'yearly'),
    ],
  }
}

function faq() {
  return {
    '@type': 'FAQPage',
    mainEntity: questions.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  }
}
