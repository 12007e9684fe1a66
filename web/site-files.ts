import { brand } from '#contract/brand.ts'
import { plainText } from '#contract/markdown.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { changelogOf } from '#web/features/site/content/changelog.ts'
import { markSvg } from './layout/mark.ts'
import { productRoute, type Route, routes } from './router.tsx'

export function routesToRender({ products, consumerLaw }: SiteSettings): Route[] {
  const productsOnSale = products.filter(({ state }) => state === 'on sale')
  return routes.flatMap((route) => {
    if (route.path === '/products/:slug') return productsOnSale.map((product) => productRoute(route, product))
    const isConsumerLawRoute = route.path === '/withdraw' || route.path === '/cancel'
    return consumerLaw === 'none' && isConsumerLawRoute ? [] : [route]
  })
}

const favicon = markSvg(brand.color, '#fff')

export function siteFiles(settings: SiteSettings) {
  const urlEntries = routesToRender(settings)
    .filter((route) => route.indexable)
    .map((route) => `<url><loc>${new URL(route.path, settings.publicUrl).href}</loc></url>`)
  const robots = [
    'User-agent: *',
    'Disallow: /api/',
    `Sitemap: ${new URL('/sitemap.xml', settings.publicUrl).href}`,
    '',
  ]
  const manifest = {
    name: brand.name,
    short_name: brand.name,
    start_url: '/',
    display: 'browser',
    background_color: '#f9fbfa',
    theme_color: brand.color,
    icons: [
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
    ],
  }
  return [
    {
      path: '/sitemap.xml',
      type: 'application/xml',
      body: `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urlEntries.join('')}</urlset>`,
    },
    { path: '/changelog.xml', type: 'application/rss+xml; charset=utf-8', body: changelogFeed(settings) },
    { path: '/favicon.svg', type: 'image/svg+xml', body: favicon },
    { path: '/robots.txt', type: 'text/plain; charset=utf-8', body: robots.join('\n') },
    { path: '/site.webmanifest', type: 'application/manifest+json', body: JSON.stringify(manifest) },
  ]
}

/** RSS feed of the changelog page. */
function changelogFeed({ publicUrl, products }: SiteSettings) {
  const changelog = changelogOf(products)
  const absoluteUrl = (path: string) => new URL(path, publicUrl).href
  const items = changelog.entries.map(({ id, date, title, blocks }) => {
    const url = absoluteUrl(`/changelog#${id}`)
    const pubDate = date && `<pubDate>${new Date(date).toUTCString()}</pubDate>`
    const description = escapeXml(plainText(blocks))
    return `<item><title>${escapeXml(title)}</title><link>${url}</link><guid>${url}</guid>${pubDate}<description>${description}</description></item>`
  })
  const title = escapeXml(`${brand.name} ${changelog.title}`)
  const description = escapeXml(changelog.lead)
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>${title}</title><link>${absoluteUrl('/changelog')}</link><description>${description}</description>${items.join('')}</channel></rss>`
}

const escapeXml = (text: string) => text.replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
