import { existsSync, statSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Makes startup light: `node --import ./server/process/boot.js`, before anything else, and in plain JavaScript, because the
 * first TypeScript file that is not in the cache makes Node load its compiler (20 MB). Compiled code is kept between
 * starts, libraries come from the few files that `scripts/build-libraries.ts` makes of them, and what our own imports mean
 * is known without a search. Without this file, a start takes five times the CPU and three times the memory.
 */
enableCompileCache(fileURLToPath(new URL('../../dist/compile-cache', import.meta.url)))

const root = new URL('../../', import.meta.url).href
const isOurs = (url = '') => url.startsWith(root) && !url.startsWith(`${root}node_modules/`)

/** After an update that was not built yet, libraries come from where npm put them, never from the old build. */
const changedAt = (path) => statSync(new URL(path, root), { throwIfNoEntry: false })?.mtimeMs ?? 0
const isBuilt = changedAt('dist/libraries') > changedAt('package-lock.json')

/** A library is the same one for all our files; Node would look for it from each of them. */
const libraries = new Map()

function find(specifier, context, next) {
  const built = new URL(`dist/libraries/${specifier.replaceAll(/[/:]/g, '_')}.js`, root)
  return isBuilt && existsSync(built) ? { url: built.href, format: 'module' } : next(specifier, context)
}

registerHooks({
  resolve(specifier, context, next) {
    if (!isOurs(context.parentURL)) return next(specifier, context)
    // They name a file exactly.
    if (/^[.#].*\.ts$/.test(specifier)) {
      const { href } = new URL(specifier.replace(/^#/, root), context.parentURL)
      return { url: href, format: 'module-typescript', shortCircuit: true }
    }
    if (/^[.#]/.test(specifier)) return next(specifier, context)
    if (!libraries.has(specifier)) libraries.set(specifier, find(specifier, context, next))
    return { ...libraries.get(specifier), shortCircuit: true }
  },
})
