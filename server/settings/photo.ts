import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

export type Photo = { path: string; body: Buffer }

/** By its first bytes: a name proves nothing. */
export function photoType(body: Buffer): '.jpg' | '.png' | '.webp' | undefined {
  if (body.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return '.jpg'
  if (body.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return '.png'
  return body.subarray(0, 4).toString() === 'RIFF' && body.subarray(8, 12).toString() === 'WEBP'
    ? '.webp'
    : undefined
}

/** Read once: the pages ask for it every few seconds. */
const files = new Map<string, Buffer>()

/** From the seller's disk, or as it was uploaded; its address changes with it. */
export function readPhoto(file: string | undefined, uploaded: string | undefined): Photo | null {
  if (file) {
    const body = files.get(file) ?? readFileSync(file)
    files.set(file, body)
    return { path: `/maker${extname(file).toLowerCase()}`, body }
  }
  if (!uploaded) return null
  const body = Buffer.from(uploaded, 'base64')
  const type = photoType(body)
  const mark = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return type ? { path: `/maker-${mark}${type}`, body } : null
}
