import { brand } from '#contract/brand.ts'
import type { FormAnswer, SiteSettings } from '#contract/site/site-settings.ts'
import type { PageData } from './api/query-client.ts'
import { pageTitle } from './layout/page-change.tsx'
import type { Route } from './router.tsx'
import type { StructuredData } from './structured-data.ts'

/** The only inline script. It runs before the first paint, so neither the theme nor "Log In" flashes. */
export const themeScript =
  "{let c=document.documentElement.classList;try{let t=localStorage.getItem('theme');if(t==='dark')c.replace('light','dark');if(localStorage.getItem('user'))c.add('returning')}catch{}}"

export type PageAssets = { scripts: string[]; preloads: string[]; styles: string[]; fonts: string[] }

/** Never runs in the browser. */
export function Document(props: {
  route: Route
  settings: SiteSettings
  description: string
  /** Preview image of this product; other pages use the one drawn for them. */
  image: string | null
  assets: PageAssets
  structuredData: StructuredData[]
  data: PageData
  answer: FormAnswer | null
  content: string
}) {
  const { route, settings, description, assets, structuredData, data, answer, content } = props
  const title = pageTitle(route)
  const canonical = route.path === '*' ? undefined : new URL(route.path, settings.publicUrl).href
  const image = new URL(props.image ?? `/og/${imageOf(route)}.png`, settings.publicUrl).href
  return (
    <html lang="en" className="light">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <script dangerouslySetInnerHTML={{ __html: themeScript }} />
        <title>{title}</title>
        <meta name="description" content={description} />
        {canonical && <link rel="canonical" href={canonical} />}
        {route.path === '/changelog' && (
          <link rel="alternate" type="application/rss+xml" title={route.title} href="/changelog.xml" />
        )}
        {!route.indexable && <meta name="robots" content="noindex" />}
        {assets.fonts.map((href) => (
          <link key={href} rel="preload" as="font" type="font/woff2" href={href} crossOrigin="" />
        ))}
        {assets.styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {/* Styles and fonts come first, because the page can be read before its code has loaded. */}
        {assets.preloads.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        {assets.scripts.map((src) => (
          <script key={src} type="module" src={src} />
        ))}
        <meta name="theme-color" content={brand.color} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/site.webmanifest" />
        <meta property="og:site_name" content={brand.name} />
        <meta property="og:type" content="website" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        {canonical && <meta property="og:url" content={canonical} />}
        <meta property="og:image" content={image} />
        <meta property="og:image:width" content="1200" />
        <meta property="og:image:height" content="630" />
        <meta property="og:image:alt" content={`${route.title}: ${brand.tagline}`} />
        <meta name="twitter:card" content="summary_large_image" />
        {structuredData.map((item) => (
          <DataBlock key={item['@type']} type="application/ld+json" value={item} />
        ))}
      </head>
      <body>
        {answer && (
          <div id="said" role={answer.isRefusal ? 'alert' : 'status'}>
            {answer.message}
          </div>
        )}
        {needsScript(route) && (
          <noscript>
            <div className="needs-script flex flex-col gap-4">
              <h1 className="text-3xl">{route.title}</h1>
              <p>
                This page needs JavaScript. Please turn it on and reload the page.
                {route.path === '/checkout' && ' Card payments can’t be made safely without it.'}
              </p>
              <p>
                Need help? Email{' '}
                <a href={`mailto:${settings.supportEmail}`} className="underline underline-offset-2">
                  {settings.supportEmail}
                </a>
                .
              </p>
            </div>
          </noscript>
        )}
        <div id="root" data-not-found={route.path === '*' || undefined} dangerouslySetInnerHTML={{ __html: content }} />
        <DataBlock id="settings" type="application/json" value={settings} />
        {data.length > 0 && <DataBlock id="data" type="application/json" value={data} />}
        {answer && <DataBlock id="answer" type="application/json" value={answer} />}
      </body>
    </html>
  )
}

const needsScript = ({ access, path }: Route) => access !== 'public' || /^\/(checkout|invoice|account)/.test(path)

/** Name of the preview image, such as `about` for `site/about/about-page`. Pages that are not indexed share one. */
export function imageOf(route: Route) {
  if (route.path.startsWith('/products/')) return 'products'
  if (!route.indexable) return 'home'
  return route.page.replace(/^.*\//, '').replace(/-page$/, '')
}

function DataBlock({ value, ...attributes }: { id?: string; type: string; value: object }) {
  // A `<` in the data could close the script element early.
  const json = JSON.stringify(value).replaceAll('<', '\\u003c')
  return <script {...attributes} dangerouslySetInnerHTML={{ __html: json }} />
}
