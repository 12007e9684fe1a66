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
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
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
        // Images are meant to be shown elsewhere, in a link preview.
        headers:
          extname(name) === '.png'
            ? { ...security.other, 'cross-origin-resource-policy': 'cross-origin' }
            : security.other,
      }
    })
}
