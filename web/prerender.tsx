import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { renderToStaticMarkup } from 'react-dom/server'
import { prerenderToNodeStream } from 'react-dom/static'
import { catalog } from '#contract/selling/catalog.ts'
import { termsInForce } from '#contract/selling/legal/in-force.ts'
import type { ProductText } from '#contract/selling/product.ts'
import { reviews } from '#contract/site/reviews.ts'
import type {
  FormAnswer,
  RenderAnswer,
  RenderData,
  RenderedPage,
  RenderPages,
  SiteSettings,
} from '#contract/site/site-settings.ts'
import { keyOf } from './api/client.ts'
import type { PageData } from './api/query-client.ts'
import { App } from './app.tsx'
import { descriptionOf } from './descriptions.ts'
import { Document, imageOf, type PageAssets, themeScript } from './document.tsx'
import { adminPaths } from './features/admin/screens.ts'
import { markSvg } from './layout/mark.ts'
import { loadPage, notFound, type Route, routeFor, routes } from './router.tsx'
import { routesToRender, siteFiles } from './site-files.ts'
import { structuredDataFor } from './structured-data.ts'

type Manifest = Record<string, { file: string; imports?: string[]; css?: string[] }>

/** Called at startup and whenever the content of a page has changed. */
export const renderPages: RenderPages = async ({ latestReviews, texts, terms, ...settings }) => {
  const manifest = await readManifest()
  const pages = []
  for (const route of [...routesToRender(settings), notFound]) {
    const data = pageDataOf(route, { latestReviews, texts, terms })
    const page = await renderPage(route, settings, assetsOf(route, manifest), data)
    // The admin page is one document, served at the address of every admin screen.
    pages.push(route.matchesLongerPaths ? { ...page, alsoAt: adminPaths } : page)
  }
  return { pages, files: siteFiles(settings) }
}

/** Renders the page that answers a form posted without scripts. */
export const renderAnswer: RenderAnswer = async ({ latestReviews, texts, terms, ...settings }, path, answer) => {
  const route = routesToRender(settings).find((candidate) => candidate.path === path) ?? notFound
  const data = pageDataOf(route, { latestReviews, texts, terms })
  return (await renderPage(route, settings, assetsOf(route, await readManifest()), data, answer)).html
}

const readManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(new URL('./manifest.json', import.meta.url), 'utf8'))

type PageSpecificData = Pick<RenderData, 'latestReviews' | 'texts' | 'terms'>

/** Returns at most one entry: the query that the page's component makes, and its result. */
function pageDataOf({ path }: Route, { latestReviews, texts, terms }: PageSpecificData): PageData {
  if (path === '/reviews') {
    // Same key and shape as the page's infinite query (`useInfiniteQuery`).
    const reviewsKey = [...keyOf(reviews.list), 'pages']
    return [[reviewsKey, { pages: [latestReviews], pageParams: [''] }]]
  }
  if (path === '/legal/terms') return [[keyOf(termsInForce.show, {}), terms]]
  if (!path.startsWith('/products/')) return []
  const slug = path.replace('/products/', '')
  const productText = texts[slug]
  return productText ? [[keyOf(catalog.page, { slug }), productText]] : []
}

/** Drawn by `scripts/build.ts`: previews for links to the shop, and the logo on them. */
export const pictures = {
  mark: markSvg,
  previews: routes
    .filter(({ indexable, title }) => indexable && title)
    .map((route) => ({ file: `${imageOf(route)}.png`, title: route.title })),
}

/** Renders from source, for `scripts/dev.ts`. */
export async function renderDevPage(path: string, settings: SiteSettings) {
  const assets = { scripts: ['/web/main.tsx'], preloads: [], styles: ['/web/styles.css'], fonts: [] }
  return (await renderPage(routeFor(path, settings.products), settings, assets, [])).html
}

async function renderPage(
  route: Route,
  settings: SiteSettings,
  assets: PageAssets,
  data: PageData,
  answer: FormAnswer | null = null,
): Promise<RenderedPage> {
  // The content is its own React root and the only part that hydrates, so browser extensions that change
  // <head> or <body> can't break the page.
  await loadPage(route)
  const app = <App settings={settings} pathname={route.path} data={data} refusedForm={answer?.refused ?? null} />
  const { prelude } = await prerenderToNodeStream(app, {
    // Otherwise React would move large chunks into inline scripts, which the CSP forbids.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
  })
  const [, firstValue] = data[0] ?? []
  const productText = route.path.startsWith('/products/') ? (firstValue as ProductText | undefined) : undefined
  const description = productText?.description ?? descriptionOf(route, settings.products)
  const html = renderToStaticMarkup(
    <Document
      route={route}
      settings={settings}
      assets={assets}
      description={description}
      image={productText?.preview ?? null}
      structuredData={structuredDataFor(route, settings, productText)}
      data={data}
      answer={answer}
      content={await readText(prelude)}
    />,
  )
  const hash = createHash('sha256').update(themeScript).digest('base64')
  return {
    path: route.path,
    html: `<!doctype html>${html}`,
    scriptHashes: [`'sha256-${hash}'`],
    referrer: route.secret ? 'no-referrer' : 'strict-origin-when-cross-origin',
  }
}

function assetsOf(route: Route, manifest: Manifest): PageAssets {
  const entry = 'web/main.tsx'
  const chunkKeys = new Set<string>()
  const addWithImports = (key: string) => {
    if (chunkKeys.has(key)) return
    chunkKeys.add(key)
    for (const imported of chunkOf(manifest, key).imports ?? []) addWithImports(imported)
  }
  addWithImports(entry)
  addWithImports(`web/features/${route.page}.tsx`)
  const fileOf = (key: string) => chunkOf(manifest, key).file
  const chunks = [...chunkKeys].map((key) => chunkOf(manifest, key))
  const script = fileOf(entry)
  const fonts = ['web/fonts/host-grotesk-basic.woff2']
  // Headings outside of the admin area use the serif font.
  if (route.access !== 'staff') fonts.push('web/fonts/newsreader-display-basic.woff2')
  return {
    scripts: [address(script)],
    preloads: chunks
      .map((chunk) => chunk.file)
      .filter((file) => file !== script)
      .map(address),
    styles: chunks.flatMap((chunk) => chunk.css ?? []).map(address),
    fonts: fonts.map(fileOf).map(address),
  }
}

/** Throws for a source that the build does not have, so that no page silently lacks a file. */
function chunkOf(manifest: Manifest, key: string) {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`The build has no ${key}`)
  return chunk
}

const address = (file: string) => `/${file}`
