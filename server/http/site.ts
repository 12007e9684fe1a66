import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { SiteSettings } from '#contract/site.ts'
import type { SecurityHeaders } from './headers.ts'
import type { Rendered, RenderOrder } from './render-site.ts'

/** The whole site in memory: hashed assets from the build, and every page rendered for this shop's settings. */
export type SiteFile = {
  /** `/about`, `/assets/x.js`, or `*` for the not-found page. */
  path: string
  type: string
  body: Buffer
  br: Buffer | undefined
  gzip: Buffer | undefined
  hash: string
  immutable: boolean
  headers: Record<string, string>
}
export type Site = { files: SiteFile[] }

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

/** Renders and compresses once for each build and settings; later starts read the result from the data folder. */
export async function loadSite(
  dist: string,
  cacheDir: string,
  settings: SiteSettings,
  security: SecurityHeaders,
): Promise<Site> {
  const assets = readAssets(join(dist, 'web'), security)
  const renderer = join(dist, 'render', 'render.js')
  const key = hashOf(readFileSync(renderer), assets.map((file) => file.hash).join(), JSON.stringify(settings))
  const rendered = readCache(cacheDir, key) ?? (await render({ renderer, settings }))
  writeCache(cacheDir, key, rendered)
  return { files: [...assets, ...rendered.map((file) => withHeaders(file, security))] }
}

function withHeaders({ page, ...file }: Rendered, security: SecurityHeaders): SiteFile {
  return {
    ...file,
    hash: hashOf(file.body),
    immutable: false,
    headers: page ? security.page(page.scriptHashes, page.referrer) : security.other,
  }
}

/** In a process of its own: what React and the compression need of the memory is never given back by the one that serves. */
async function render(order: RenderOrder): Promise<Rendered[]> {
  const child = fork(new URL('./render-site.ts', import.meta.url), { serialization: 'advanced' })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The pages could not be rendered (exit code ${code})`)
  })
  child.send(order)
  const [rendered] = (await Promise.race([once(child, 'message'), ended])) as [Rendered[]]
  child.disconnect()
  return rendered
}

function readAssets(folder: string, security: SecurityHeaders): SiteFile[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const present = new Set(names)
  const sibling = (name: string) => (present.has(name) ? readFileSync(name) : undefined)
  return names
    .filter((name) => !/\.(br|gz)$/.test(name) && !name.includes('.vite'))
    .map((name) => {
      const body = readFileSync(name)
      const path = name.slice(folder.length).replaceAll('\\', '/')
      return {
        path,
        type: types[extname(name)] ?? 'application/octet-stream',
        body,
        br: sibling(`${name}.br`),
        gzip: sibling(`${name}.gz`),
        hash: hashOf(body),
        immutable: path.startsWith('/assets/'),
        // Pictures are made to be shown elsewhere: in a preview of a shared link.
        headers:
          extname(name) === '.png'
            ? { ...security.other, 'cross-origin-resource-policy': 'cross-origin' }
            : security.other,
      }
    })
}

function readCache(cacheDir: string, key: string): Rendered[] | undefined {
  try {
    return deserialize(readFileSync(join(cacheDir, `pages-${key}`))) as Rendered[]
  } catch {
    return undefined
  }
}

/** The cache only saves time: a folder that cannot be written costs the next start a second, no more. */
function writeCache(cacheDir: string, key: string, rendered: Rendered[]) {
  const name = `pages-${key}`
  try {
    mkdirSync(cacheDir, { recursive: true })
    const stale = readdirSync(cacheDir).filter((other) => other.startsWith('pages-') && other !== name)
    for (const other of stale) rmSync(join(cacheDir, other))
    writeFileSync(join(cacheDir, name), serialize(rendered), { flag: 'wx' })
  } catch {}
}

function hashOf(...parts: (string | Buffer)[]) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url').slice(0, 22)
}
