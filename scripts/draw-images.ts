import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brand } from '#contract/brand.ts'
import type { RenderPages, Shown } from '#contract/site/site-settings.ts'
import { readProducts } from '#server/features/selling/catalog/catalog.ts'
import { sellerOf } from '#server/settings/settings.ts'
import { openBrowser } from './find-browser.ts'
import freshWeb from './fresh-web.ts'

/** `node scripts/draw-images.ts`: redraws the images in `web/public`. Run it when titles or the design change. */

const root = fileURLToPath(new URL('..', import.meta.url))
const pictures = join(root, 'web/public')

await freshWeb()
const { renderPages } = (await import(join(root, 'dist/render/render.js'))) as { renderPages: RenderPages }
const products = readProducts()
const { pages } = await renderPages({
  publicUrl: 'https://example.com',
  supportEmail: '',
  testMode: false,
  askExchangeKeys: true,
  reviews: { count: 0, average: 0, byStars: [] },
  products: products.map(({ slug, name, state, listed }) => ({
    slug,
    name,
    state,
    ...listed,
    reviews: { count: 0, average: 0 },
  })) as Shown['products'],
  texts: Object.fromEntries(products.map(({ slug, text }) => [slug, text])),
  latestReviews: { items: [] },
  terms: { version: '', since: '', sections: [] },
  seatsAreLimited: false,
  prices: {
    'rebound-sigma-pro': { monthly: 3900, yearly: 39000, regular: { monthly: 4900, yearly: 49000 } },
  },
  unlocksItself: false,
  maker: null,
  stripe: { publishableKey: '', scriptUrl: '' },
  regionLookupUrl: 'https://example.com',
  cookieBanner: 'always',
  consumerLaw: 'eu',
  tax: { mode: 'none', note: '' },
  gaMeasurementId: null,
  seller: sellerOf(() => ''),
})
const home = pages.find(({ path }) => path === '/')?.html ?? ''
const [chart] = /<svg role="img".*?<\/svg><\/svg>/.exec(home) ?? []
const [mark] = /<svg viewBox="0 0 32 32".*?<\/svg>/.exec(home) ?? []
if (!chart || !mark) throw new Error('The home page is missing its chart or mark')
const filling = (svg: string) => svg.replace(/class="[^"]*"/, 'width="100%" height="100%"')
const styles = readdirSync(join(root, 'dist/web/assets'))
  .filter((name) => name.endsWith('.css'))
  .map((name) => readFileSync(join(root, 'dist/web/assets', name), 'utf8'))
  .join('')
const font = readFileSync(
  join(root, 'node_modules/@fontsource-variable/host-grotesk/files/host-grotesk-latin-wght-normal.woff2'),
).toString('base64')

const browser = await openBrowser()

async function draw(file: string, theme: 'light' | 'dark', width: number, height: number, body: string) {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' })
  await page.setContent(`<html class="${theme}"><style>${styles}
    @font-face { font-family: 'Host Grotesk'; font-weight: 300 800; src: url(data:font/woff2;base64,${font}) }
    body { margin: 0; width: ${width}px; height: ${height}px; overflow: hidden; position: relative }
  </style><body>${body}</body></html>`)
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: join(pictures, file), omitBackground: true })
  await page.close()
}

mkdirSync(join(pictures, 'og'), { recursive: true })
for (const { html } of pages) {
  const image = /property="og:image" content="[^"]*\/og\/([^"]+)"/.exec(html)?.[1]
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1]
  if (!image || !title || html.includes('content="noindex"')) continue
  await draw(
    `og/${image}`,
    'dark',
    1200,
    630,
    `<style>
      body { padding: 64px 72px; display: flex; flex-direction: column; background: var(--surface) }
      figure { position: absolute; inset: 235px 0 0 470px; mask: linear-gradient(90deg, transparent, #000 35%) }
      .mark { width: 52px; height: 52px }
      .name { display: flex; align-items: center; gap: 16px; font-size: 30px; font-weight: 600 }
      .title { font-size: 84px; font-weight: 600; line-height: 1.02; letter-spacing: -0.035em; margin-top: 56px }
      .tagline { font-size: 28px; line-height: 1.4; max-width: 440px; margin-top: auto; color: var(--muted) }
    </style>
    <figure>${filling(chart).replace('xMinYMid', 'xMidYMid')}</figure>
    <div class="name"><span class="mark">${filling(mark)}</span>${brand.name}</div>
    <div class="title">${title}</div>
    <div class="tagline">${brand.tagline}</div>`,
  )
}
for (const [file, size] of Object.entries({ 'apple-touch-icon': 180, 'icon-192': 192, 'icon-512': 512 })) {
  // Apple rounds the corners itself and shows black behind transparent ones.
  const square = file.startsWith('apple') ? filling(mark).replace('rx="9"', '') : filling(mark)
  await draw(`${file}.png`, 'light', size, size, `<style>html, body { background: none }</style>${square}`)
}
await browser.close()
