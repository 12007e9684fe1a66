import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { RenderPages, SiteSettings } from '#contract/site.ts'

/** A process that renders and compresses every page, answers them, and ends: see `site.ts`. */
export type RenderOrder = { renderer: string; settings: SiteSettings }
export type Rendered = {
  /** `/about`, `/robots.txt`, or `*` for the not-found page. */
  path: string
  type: string
  body: Buffer
  br: Buffer
  gzip: Buffer
  page?: { scriptHashes: string[]; referrer: string }
}

async function render({ renderer, settings }: RenderOrder): Promise<Rendered[]> {
  const { renderPages } = (await import(pathToFileURL(renderer).href)) as { renderPages: RenderPages }
  const { pages, files } = await renderPages(settings)
  return Promise.all([
    ...pages.map(({ path, html, scriptHashes, referrer }) =>
      compressed(path, 'text/html; charset=utf-8', html, { scriptHashes, referrer }),
    ),
    ...files.map(({ path, type, body }) => compressed(path, type, body)),
  ])
}

async function compressed(
  path: string,
  type: string,
  text: string,
  page?: Rendered['page'],
): Promise<Rendered> {
  const body = Buffer.from(text)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    promisify(gzip)(body, { level: 9 }),
  ])
  return { path, type, body, br, gzip: gz, ...(page ? { page } : {}) }
}

async function obey(order: RenderOrder) {
  process.send?.(await render(order))
}

process.once('message', (order: RenderOrder) => void obey(order))
