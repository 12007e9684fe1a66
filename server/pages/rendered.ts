import { readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RenderedPage, RenderPages } from '#contract/site/site-settings.ts'
import { type Compressed, compress, hashOf, readCompressed } from './compressed.ts'

type Entry = {
  /** `/about`, `/robots.txt`, or `*` for the not-found page. */
  path: string
  name: string
  type: string
  /** Covers all encodings; reveals files that a crash has cut off. */
  hash: string
  page?: Pick<RenderedPage, 'alsoAt' | 'scriptHashes' | 'referrer'>
}
export type RenderedFile = Entry & Compressed

const listName = 'pages.json'

/** Writes to a temporary folder and renames it, so that readers never see half a site. */
export async function writeRendered(folder: string, { pages, files }: Awaited<ReturnType<RenderPages>>) {
  const unfinished = `${folder}.${process.pid}`
  const write = async ({ path, type, text, page }: Omit<Entry, 'name' | 'hash'> & { text: string }) => {
    const name = fileName(path, page !== undefined)
    const filePath = join(unfinished, name)
    const body = Buffer.from(text)
    await mkdir(dirname(filePath), { recursive: true })
    await writeFile(filePath, body)
    const { br, gzip } = await compress(filePath, body, 9)
    return { path, name, type, hash: hashOf(body, br, gzip), ...(page && { page }) }
  }
  try {
    const entries: Entry[] = await Promise.all([
      ...pages.map(({ path, html, ...page }) => write({ path, type: 'text/html; charset=utf-8', text: html, page })),
      ...files.map(({ path, type, body }) => write({ path, type, text: body })),
    ])
    await writeFile(join(unfinished, listName), JSON.stringify(entries, null, 2))
    // Another process on this machine may have written the same pages in the meantime.
    if (readRendered(folder)) return
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

export function readRendered(folder: string): RenderedFile[] | undefined {
  try {
    const entries: Entry[] = JSON.parse(readFileSync(join(folder, listName), 'utf8'))
    const files = entries.map((entry) => ({ ...entry, ...readCompressed(join(folder, entry.name)) }))
    return files.every(({ hash, body, br, gzip }) => hash === hashOf(body, br, gzip)) ? files : undefined
  } catch {
    return undefined
  }
}

function fileName(path: string, isPage: boolean) {
  if (!isPage) return path.slice(1)
  if (path === '/') return 'index.html'
  if (path === '*') return '404.html'
  return `${path.slice(1)}.html`
}
