import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brand } from '#contract/brand.ts'
import { openBrowser } from './find-browser.ts'

/**
 * `node scripts/draw-images.ts [http://localhost:3000]`: redraws the images in `web/public` with what a running shop shows.
 * Run it when titles or the design change.
 */
const shop = process.argv[2] ?? 'http://localhost:3000'
const pictures = fileURLToPath(new URL('../web/public', import.meta.url))
const textOf = async (path: string) => (await fetch(new URL(path, shop))).text()

const home = await textOf('/')
const [chart] = /<svg role="img".*?<\/svg><\/svg>/.exec(home) ?? []
const [mark] = /<svg viewBox="0 0 32 32".*?<\/svg>/.exec(home) ?? []
if (!chart || !mark) throw new Error('The home page is missing its chart or mark')
const filling = (svg: string) => svg.replace(/class="[^"]*"/, 'width="100%" height="100%"')

const browser = await openBrowser()

/** On the home page, which has the styles and the font; without its script, which would put back what it shows. */
async function draw(file: string, theme: 'light' | 'dark', width: number, height: number, body: string) {
  const page = await browser.newPage({
    viewport: { width, height },
    reducedMotion: 'reduce',
    javaScriptEnabled: false,
    bypassCSP: true,
  })
  await page.goto(shop)
  await page.evaluate(
    ([look = '', markup = '']) => {
      document.documentElement.className = look
      document.body.innerHTML = markup
    },
    [
      theme,
      `<style>body { margin: 0; width: ${width}px; height: ${height}px; overflow: hidden; position: relative }</style>${body}`,
    ],
  )
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: join(pictures, file), omitBackground: true })
  await page.close()
}

mkdirSync(join(pictures, 'og'), { recursive: true })
for (const [, address = ''] of (await textOf('/sitemap.xml')).matchAll(/<loc>(.*?)<\/loc>/g)) {
  const html = await textOf(new URL(address).pathname)
  const image = /property="og:image" content="[^"]*\/og\/([^"]+)"/.exec(html)?.[1]
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1]
  if (!image || !title) continue
  await draw(
    `og/${image}`,
    'dark',
    1200,
    630,
    `<style>
      body { padding: 64px 72px; display: flex; flex-direction: column; background: var(--color-surface) }
      figure { position: absolute; inset: 235px 0 0 470px; mask: linear-gradient(90deg, transparent, #000 35%) }
      .mark { width: 52px; height: 52px }
      .name { display: flex; align-items: center; gap: 16px; font-size: 30px; font-weight: 600 }
      .title { font-size: 84px; font-weight: 600; line-height: 1.02; letter-spacing: -0.035em; margin-top: 56px }
      .tagline { font-size: 28px; line-height: 1.4; max-width: 440px; margin-top: auto; color: var(--color-muted) }
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
