import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors.ts'
import { hashOf } from '../pages/compressed.ts'
import { paths } from '../paths.ts'

const sources = [
  'content',
  'contract',
  'package-lock.json',
  'sandbox',
  'scripts/build.ts',
  'scripts/check-content.ts',
  'scripts/draw-images.ts',
  'server',
  'vite.config.ts',
  'web',
]

export const buildStamp = join(paths.dist, 'sources')

/** Leaves out tests, and the SQL, products and passwords that the running server reads from the sources. */
export const hashOfSources = () =>
  hashOf(...sources.flatMap(filesOf).flatMap((file) => [file, readFileSync(join(paths.root, file))]))

const ignoredFiles =
  /(^|\/)\.|~$|\.test\.tsx?$|\/testing\/|\.sql$|\/common-passwords\.txt$|^content\/products\/|^server\/database\/migrations\//

function filesOf(source: string): string[] {
  if (/\.\w+$/.test(source)) return [source]
  return readdirSync(join(paths.root, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(paths.root.length + 1))
    .filter((file) => !ignoredFiles.test(file))
    .toSorted()
}

/** Compares contents, because a checkout, a copy or a container image changes modification times. */
export function checkBuild(): 'fresh' | 'missing' | 'stale' {
  if (!existsSync(buildStamp)) return 'missing'
  return readFileSync(buildStamp, 'utf8') === hashOfSources() ? 'fresh' : 'stale'
}

/** An outdated build would serve texts and code that the sources no longer have. */
export function assertBuilt() {
  const buildState = checkBuild()
  if (buildState === 'missing') throw new StartError('The shop has not been built yet. Run: npm run build')
  if (buildState === 'stale')
    throw new StartError('The build in dist is older than its texts or the software. Run: npm run build')
}
