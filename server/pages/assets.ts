import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { SecurityHeaders } from '../http/headers.ts'
import { hashOf, readCompressed } from './compressed.ts'
import type { SiteFile } from './responder.ts'

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

/** What other sites may load: images for link previews, and the font for Stripe's card fields. */
const elsewhere: Record<string, Record<string, string>> = {
  '.png': { 'cross-origin-resource-policy': 'cross-origin' },
  '.woff2': { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' },
}

/** A file that is not from the build. */
export function assetOf({ path, body }: { path: string; body: Buffer }, security: SecurityHeaders): SiteFile {
  const type = types[extname(path)] ?? 'application/octet-stream'
  return {
    path,
    type,
    body,
    br: undefined,
    gzip: undefined,
    hash: hashOf(body),
    immutable: false,
    headers: security.other,
  }
}

/** What the build made for browsers: code, styles, fonts, images. */
export function readAssets(folder: string, security: SecurityHeaders): SiteFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => {
      const name = join(entry.parentPath, entry.name)
      const path = name.slice(folder.length).replaceAll('\\', '/')
      const content = readCompressed(name)
      return {
        path,
        type: types[extname(name)] ?? 'application/octet-stream',
        ...content,
        hash: hashOf(content.body),
        immutable: path.startsWith('/assets/'),
        headers: { ...security.other, ...elsewhere[extname(name)] },
      }
    })
}
