import { readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RenderedPage, RenderPages } from '#contract/site/site-settings.ts'
import { type Compressed, compress, hashOf, readCompressed } from './compressed.ts'

/** The folder that `render.ts` writes and the server reads: every page as a file, and a list of them. */
type Entry = {
  /** `/about`, `/robots.txt`, or `*` for the not-found page. */
  path: string
  name: string
  type: string
  /** Covers the content in all its encodings: a file cut off by a crash is not served. */
  hash: string
  page?: Pick<RenderedPage, 'alsoAt' | 'scriptHashes' | 'referrer'>
}
export type RenderedFile = Entry & Compressed

const list = 'pages.json'

/** All or nothing: the folder appears when everything is in it. */
export async function writeRendered(folder: string, { pages, files }: Awaited<ReturnType<RenderPages>>) {
  const unfinished = `${folder}.${process.pid}`
  const write = async ({ path, type, text, page }: Omit<Entry, 'name' | 'hash'> & { text: string }) => {
    const name = fileName(path, page !== undefined)
    const [place, body] = [join(unfinished, name), Buffer.from(text)]
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, body)
    const { br, gzip } = await compress(place, body)
    return { path, name, type, hash: hashOf(body, br, gzip), ...(page && { page }) }
  }
  try {
    const entries: Entry[] = await Promise.all([
      ...pages.map(({ path, html, ...page }) => write({ path, type: 'text/html; charset=utf-8', text: html, page })),
      ...files.map(({ path, type, body }) => write({ path, type, text: body })),
    ])
    await writeFile(join(unfinished, list), JSON.stringify(entries, null, 2))
    // Another process on this machine may have been faster, with the same pages.
    if (readRendered(folder)) return
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Undefined when the folder is missing or incomplete. */
export function readRendered(folder: string): RenderedFile[] | undefined {
  try {
    const entries: Entry[] = JSON.parse(readFileSync(join(folder, list), 'utf8'))
    const files = entries.map((entry) => ({ ...entry, ...readCompressed(join(folder, entry.name)) }))
    return files.every(({ hash, body, br, gzip }) => hash === hashOf(body, br, gzip)) ? files : undefined
  } catch {
    return undefined
  }
}

function fileName(path: string, isPage: boolean) {
  if (!isPage) return path.slice(1)
  return `${{ '/': 'index', '*': '404' }[path] ?? path.slice(1)}.html`
}
