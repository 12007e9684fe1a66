import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** `br` and `gzip` are undefined for images and fonts, which are compressed already. */
export type Compressed = { body: Buffer; br: Buffer | undefined; gzip: Buffer | undefined }

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Brotli's quality 11 takes ten times as long as 9 and saves a few percent more. */
export async function compress(path: string, content: Buffer, quality: 9 | 11): Promise<Compressed> {
  const br = await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  const gz = await zip(content, { level: 9 })
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
  return { body: content, br, gzip: gz }
}

export const hashOf = (...parts: (string | Buffer | undefined)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part ?? '')
  return hash.digest('base64url').slice(0, 22)
}

export function readCompressed(path: string): Compressed {
  return { body: readFileSync(path), br: readIfExists(`${path}.br`), gzip: readIfExists(`${path}.gz`) }
}

const readIfExists = (path: string) => (existsSync(path) ? readFileSync(path) : undefined)
