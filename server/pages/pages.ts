import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Logger } from 'pino'
import type { FormAnswer, RenderAnswer, RenderData } from '#contract/site/site-settings.ts'
import { coalesce } from '../concurrency/coalesce.ts'
import type { SecurityHeaders } from '../http/headers.ts'
import { paths } from '../paths.ts'
import { type Compressed, hashOf, readCompressed } from './compressed.ts'
import type { RenderOrder } from './render.ts'
import { type RenderedFile, readRendered } from './rendered.ts'
import { createResponder, type Responder, type SiteFile } from './responder.ts'

export type Pages = Responder & {
  /** For use after a commit that changes page content; other processes notice it within 3 seconds. */
  refresh(): Promise<void>
  answerForm(path: string, answer: FormAnswer): Promise<{ html: string; headers: Record<string, string> } | undefined>
  close(): void
}

type Options = {
  dist: string
  /** Rendered pages, shared with this machine's other processes and later starts. */
  cacheDir: string
  /** Reads what the pages show. */
  readData: () => Promise<RenderData>
  /** Uploaded files that pages refer to by path, so a changed file changes the page content, too. */
  files?: () => { path: string; body: Buffer }[]
  security: SecurityHeaders
  log: Logger
}

const refreshIntervalMs = 3000

export async function openPages({
  dist,
  cacheDir,
  readData,
  files = () => [],
  security,
  log,
}: Options): Promise<Pages> {
  const renderer = join(dist, 'render', 'render.js')
  const assets = readAssets(join(dist, 'web'), security)
  const build = hashOf(readFileSync(renderer), ...assets.map(({ hash }) => hash))
  const responder = createResponder()
  let currentFolderName = ''
  const closing = new AbortController()

  const update = coalesce(async () => {
    const data = await readData()
    const folderName = `pages-${hashOf(build, JSON.stringify(data))}`
    if (folderName === currentFolderName) return
    const folder = join(cacheDir, folderName)
    const rendered = readRendered(folder) ?? (await render({ renderer, data, folder }, closing.signal))
    const publicFiles = files().map(({ path, body }) =>
      assetOf(path, { body, br: undefined, gzip: undefined }, security),
    )
    responder.show([...assets, ...publicFiles, ...rendered.map((file) => withHeaders(file, security))])
    currentFolderName = folderName
    removeOld(cacheDir, folderName)
  })
  // A single key, so that concurrent calls share one update.
  const refresh = () => update('')
  await refresh()

  const timer = setInterval(() => {
    refresh().catch((error: unknown) => {
      if (!closing.signal.aborted) log.error({ err: error }, 'could not refresh the pages; keeping the old ones')
    })
  }, refreshIntervalMs).unref()
  return {
    ...responder,
    refresh,
    async answerForm(path, answer) {
      const headers = responder.headersOf(path)
      if (!headers) return undefined
      const { renderAnswer } = (await import(pathToFileURL(renderer).href)) as { renderAnswer: RenderAnswer }
      return { html: await renderAnswer(await readData(), path, answer), headers }
    },
    close() {
      clearInterval(timer)
      // Ends a running renderer, whose folder may be deleted next.
      closing.abort()
    },
  }
}

export const noPages = (): Pages => ({
  ...createResponder(),
  refresh: async () => {},
  answerForm: async () => undefined,
  close() {},
})

async function render(order: RenderOrder, signal: AbortSignal): Promise<RenderedFile[]> {
  const child = spawn(process.execPath, [paths.renderProgram], { stdio: ['pipe', 'inherit', 'inherit'], signal })
  // Ignores the broken pipe of a renderer that ended early, which would end this process; the exit code is checked below.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(order))
  const [code] = await once(child, 'exit')
  const rendered = readRendered(order.folder)
  if (code !== 0 || !rendered) throw new Error(`The pages could not be rendered (exit code ${code})`)
  return rendered
}

function withHeaders({ page, ...file }: RenderedFile, security: SecurityHeaders): SiteFile {
  return {
    ...file,
    alsoAt: page?.alsoAt ?? [],
    immutable: false,
    headers: page ? security.page(page.scriptHashes, page.referrer) : security.nonPage,
  }
}

/** Removes folders of earlier content and of killed renderers; younger ones than a minute may still be written. */
function removeOld(cacheDir: string, currentName: string) {
  for (const name of readdirSync(cacheDir)) {
    if (!name.startsWith('pages-') || name === currentName) continue
    const path = join(cacheDir, name)
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (ageMs > 60_000) rmSync(path, { recursive: true, force: true })
  }
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

/** Other sites load images (link previews) and the font (Stripe's card fields). */
const crossOriginHeaders: Record<string, Record<string, string>> = {
  '.png': { 'cross-origin-resource-policy': 'cross-origin' },
  '.woff2': { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' },
}

function assetOf(path: string, content: Compressed, security: SecurityHeaders): SiteFile {
  const ending = extname(path)
  return {
    path,
    type: types[ending] ?? 'application/octet-stream',
    ...content,
    hash: hashOf(content.body),
    alsoAt: [],
    immutable: path.startsWith('/assets/'),
    headers: { ...security.nonPage, ...crossOriginHeaders[ending] },
  }
}

const readAssets = (folder: string, security: SecurityHeaders) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => {
      const name = join(entry.parentPath, entry.name)
      return assetOf(name.slice(folder.length).replaceAll('\\', '/'), readCompressed(name), security)
    })
