import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { paths } from '#server/paths.ts'
import type { startShop } from '#server/start.ts'

/** Starts the shop from `dist/server`, as production does. */
export const startBuiltShop: typeof startShop = async (...options) => {
  const built = (await import(pathToFileURL(join(paths.dist, 'server/start.js')).href)) as {
    startShop: typeof startShop
  }
  return built.startShop(...options)
}
