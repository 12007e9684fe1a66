import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { paths } from '../paths.ts'
import { assertBuilt } from '../process/build.ts'
import type { startShop } from '../start.ts'

/** Starts the shop from `dist/server`, as production does, in a quarter of the time the sources take to load. */
export const startBuiltShop: typeof startShop = async (...options) => {
  assertBuilt()
  const entry = pathToFileURL(join(paths.dist, 'server/start.js')).href
  const built = (await import(entry)) as { startShop: typeof startShop }
  return built.startShop(...options)
}
