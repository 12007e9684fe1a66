import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../errors.ts'
import { hashOf } from './compressed.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = [
  'content',
  'contract',
  'package-lock.json',
  'scripts/build-libraries.ts',
  'scripts/build-web.ts',
  'vite.config.ts',
  'web',
]

/** Written last, when everything else is built. */
export const stampOfBuild = join(root, 'dist/render/sources')

/** Of everything that the web part is built from: neither tests nor products, which the server reads, nor what editors leave behind. */
export const hashOfSources = () =>
  hashOf(...sources.flatMap(filesOf).flatMap((file) => [file, readFileSync(join(root, file))]))

const isLeftOut = /(^|\/)\.|~$|\.test\.tsx?$|^content\/products\//

function filesOf(source: string): string[] {
  if (/\.\w+$/.test(source)) return [source]
  return readdirSync(join(root, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((file) => !isLeftOut.test(file))
    .toSorted()
}

let isKnownFresh = false

/** By content, never by time: a checkout, a copy and an image have times of their own. */
export function judgeBuild(): 'fresh' | 'missing' | 'stale' {
  if (isKnownFresh) return 'fresh'
  if (!existsSync(stampOfBuild)) return 'missing'
  isKnownFresh = readFileSync(stampOfBuild, 'utf8') === hashOfSources()
  return isKnownFresh ? 'fresh' : 'stale'
}

/** An old build would show an old price while the server charges the new one. */
export function assertBuilt() {
  const verdict = judgeBuild()
  if (verdict === 'missing') throw new StartError('The pages have not been built yet. Run: npm run build')
  if (verdict === 'stale')
    throw new StartError(
      'The pages in dist were built before a price, a text or the software changed. Run: npm run build',
    )
}
