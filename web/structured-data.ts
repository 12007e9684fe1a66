import { brand } from '#contract/brand.ts'
import { plansWithPrice } from '#contract/plans.ts'
import type { ListedProduct, ProductText } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { type Route, routes } from './router.tsx'

export type StructuredData = { '@type': string; [property: string]: unknown }

/** JSON-LD for search engines. */
export function structuredDataFor(route: Route, settings: SiteSettings, text?: ProductText): StructuredData[] {
  if (!route.indexable) return []
  const absolute = (path: string) => new URL(path, settings.publicUrl).href
  const items: StructuredData[] = [organizationData(absolute, settings), breadcrumbData(absolute, route)]
  const listedProduct = settings.products.find(({ slug }) => route.path === `/products/${slug}`)
  if (listedProduct && text) items.push(productData(absolute, listedProduct, settings, text), questionData(text))
  return items.map((item) => ({ '@context': 'https://schema.org', ...item }))
}

type Absolute = (path: string) => string

function organizationData(absolute: Absolute, { supportEmail, seller }: SiteSettings) {
  return {
    '@type': 'Organization',
    name: brand.name,
    ...(seller.name ? { legalName: seller.name } : {}),
    url: absolute('/'),
    logo: absolute('/icon-512.png'),
    email: supportEmail,
  }
}

function breadcrumbData(absolute: Absolute, route: Route) {
  const trail = routes.filter(({ path }) => path === '/' || route.path.startsWith(`${path}/`))
  if (route.path !== '/') trail.push(route)
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

function productData(absolute: Absolute, listedProduct: ListedProduct, { prices }: SiteSettings, text: ProductText) {
  const { count, average } = listedProduct.reviews
  const aggregateRating = { '@type': 'AggregateRating', ratingValue: average.toFixed(1), reviewCount: count }
  const offers = plansWithPrice(prices[listedProduct.slug] ?? {}).map(
    ({ key, name, interval, intervalCount, price }) => ({
      '@type': 'Offer',
      name: `${name} subscription`,
      price: (price.amount / 100).toFixed(2),
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
      url: absolute(`/checkout?product=${listedProduct.slug}&billing=${key}`),
      priceSpecification: {
        '@type': 'UnitPriceSpecification',
        price: (price.amount / 100).toFixed(2),
        priceCurrency: 'USD',
        referenceQuantity: {
          '@type': 'QuantitativeValue',
          value: intervalCount,
          unitCode: { month: 'MON', year: 'ANN' }[interval],
        },
      },
    }),
  )
  return {
    '@type': 'Product',
    name: listedProduct.name,
    description: text.description,
    image: absolute(text.preview ?? '/og/products.png'),
    brand: { '@type': 'Brand', name: brand.name },
    ...(count > 0 ? { aggregateRating } : {}),
    offers,
  }
}

function questionData({ questions }: ProductText) {
  return {
    '@type': 'FAQPage',
    mainEntity: questions.map(({ title: question, text: answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  }
}
